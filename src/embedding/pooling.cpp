// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <utility>

#include "bag_tree.hpp"
#include "long_bag.hpp"
#include "row_copies.hpp"
#include "row_format.hpp"
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/pooling.hpp>

namespace tesserec::embedding {
namespace {

/// Sums of a short bag's subtrees. The sum of a root lies at sum(root), without the initial +0.
template <class Format>
class ShortSum {
 public:
  /// Takes the buffer of the slots, which grows.
  ShortSum(Index dim, std::vector<float>& slots) : dim_(dim), slots_(slots) {
    slots_.resize(std::max(slots_.size(), std::size_t((BagTree::max_ids + 1) * dim)));
  }

  template <class Row, class Weight>
  TESSEREC_HOST_FUNCTION void add_up(const BagTree& tree, Index length, bool weighted, const Row& row,
                                     const Weight& weight) {
    if (weighted)
      multiply(tree, length, row, weight);
    else
      for (Index i = 0; i < length; ++i) at_[i] = read(row(i), i);
    for (const auto [into, from] : weighted ? tree.above_blocks() : tree.additions()) {
      float* const sum = slot(into);
      add_row(dim_, at_[into], at_[from], sum);
      at_[into] = sum;
    }
  }
  const float* sum(Index root) const { return at_[root]; }

 private:
  float* slot(Index i) { return slots_.data() + i * dim_; }
  /// Returns a row's numbers: where they lie if they are floats, else widened to slot i.
  TESSEREC_HOST_FUNCTION const float* read(const typename Format::Number* row, Index i) {
    if constexpr (Format::is_short) {
      float* const to = slot(i);
      widen_row(Format(), row, dim_, to);
      return to;
    } else {
      return row;
    }
  }
  /// Multiplies rows by their weights and adds the rows of each block in one chain of fma.
  template <class Row, class Weight>
  TESSEREC_HOST_FUNCTION void multiply(const BagTree& tree, Index length, const Row& row, const Weight& weight) {
    for (Index i = 0; i < length; ++i) {
      const auto* const from = row(i);
      for (Index c = 0; c < dim_; ++c) slot(i)[c] = std::fma(weight(i), Format().widen(from[c]), 0.0f);
    }
    for (const auto [into, from] : tree.in_blocks()) {
      const auto* const next = row(from);
      for (Index c = 0; c < dim_; ++c) slot(into)[c] = std::fma(weight(from), Format().widen(next[c]), slot(into)[c]);
    }
    for (Index i = 0; i < length; ++i) at_[i] = slot(i);
  }

  Index dim_;
  std::vector<float>& slots_;  // [ids, dim]
  const float* at_[BagTree::max_ids + 1];
};

/// Calls, in block order, few(group) for groups that BagTree takes, after finding their additions, and many(group) for
/// all other groups.
template <class Few, class Many>
TESSEREC_HOST_FUNCTION void over_groups(LongBag& bag, BagTree& tree, const BlockOf& block_of, Range blocks,
                                        const Few& few, const Many& many) {
  for (Index g = 0; g < bag.groups(); ++g) {
    const Range group = bag.group(g);
    if (BagTree::takes(group.size())) {
      tree.read(0, block_of, bag.ids(group), group.size());
      tree.find(0, blocks);
      few(group);
    } else if (group.size() > 0) {
      bag.order_blocks(block_of, group);
      many(group);
    }
  }
}

}  // namespace

static bool has_empty(const Bags& bags) {
  bool empty = false;
  for (Index bag = 0; bag < bags.count; ++bag) empty |= bags.offsets[bag] == bags.offsets[bag + 1];
  return empty;
}

struct PoolBuffers::BagScratch {
  BagTree tree, group_tree;
  LongBag long_bag;
  std::vector<float> short_sums;
  std::vector<float> slots;  // partial sums of a long bag
};

PoolBuffers::PoolBuffers() : scratch_(std::make_unique<BagScratch>()) {}
PoolBuffers::PoolBuffers(PoolBuffers&&) noexcept = default;
PoolBuffers::~PoolBuffers() = default;

TESSEREC_KERNEL Nodes subtree_nodes(const BlockOf& block_of, Range blocks, const Bags& bags) {
  Nodes nodes;
  const bool whole_subtree = std::has_single_bit(std::uint64_t(blocks.size())) && blocks.begin % blocks.size() == 0;
  if (whole_subtree && !bags.unpooled && !has_empty(bags)) {
    nodes.first_leaf = blocks.begin;
    return nodes;
  }
  nodes.offsets.resize(bags.count + 1);
  if (bags.unpooled) {
    for (Index bag = 0; bag < bags.count; ++bag) nodes.offsets[bag + 1] = bags.offsets[bag + 1] - bags.offsets[0];
    return nodes;
  }
  if (whole_subtree) {
    nodes.first_leaf = blocks.begin;
    for (Index bag = 0; bag < bags.count; ++bag) nodes.offsets[bag + 1] = nodes.offsets[bag] + (bags.length(bag) > 0);
    return nodes;
  }
  nodes.leaves.reserve(bags.count);
  BagTree tree;
  LongBag long_bag;
  const auto nothing = [](int, int) {};
  const auto ids_of = [&](Index bag) { return bags.ids + bags.offsets[bag]; };
  if (bags.count > 0) tree.read(0, block_of, ids_of(0), bags.length(0));
  for (Index bag = 0; bag < bags.count; ++bag) {
    if (bag + 1 < bags.count) tree.read((bag + 1) % 2, block_of, ids_of(bag + 1), bags.length(bag + 1));
    const Index length = bags.length(bag);
    const Index* ids = ids_of(bag);
    if (length == 1) {
      nodes.leaves.push_back(block_of(ids[0]));
    } else if (BagTree::takes(length)) {
      tree.find(bag % 2, blocks);
      for (const std::uint8_t i : tree.roots()) nodes.leaves.push_back(block_of(ids[i]));
    } else if (length > 1) {
      BagTree group_tree;
      TreeOrder order(blocks);
      long_bag.sort(block_of, ids, length);
      over_groups(
          long_bag, group_tree, block_of, blocks,
          [&](Range group) {
            for (const std::uint8_t i : group_tree.roots()) order.push(block_of(long_bag.ids(group)[i]), nothing);
          },
          [&](Range group) {
            Index last = -1;
            for (Index i = 0; i < group.size(); ++i)
              if (const Index block = block_of(long_bag.ids(group)[i]); std::exchange(last, block) != block)
                order.push(block, nothing);
          });
      order.finish(nothing);
      for (int k = 0; k < order.size(); ++k) nodes.leaves.push_back(order.leaf(k));
    }
    nodes.offsets[bag + 1] = std::ssize(nodes.leaves);
  }
  return nodes;
}

template <class Format>
TESSEREC_KERNEL static void pool_rows(const ShardRows& shard, const Bags& bags, const Nodes& nodes, Range range,
                                      float* out, PoolBuffers::BagScratch& buffers) {
  const BlockOf& block_of = shard.block_of;
  const Range blocks = shard.blocks;
  const auto* const rows = static_cast<const typename Format::Number*>(shard.data);
  const Index first_row = shard.first_row, dim = shard.dim, first = range.begin, last = range.end;
  const Index* ids = bags.ids;
  const Index end = bags.offsets[last];
  const auto row = [&](Index i) __attribute__((always_inline)) { return rows + bags.slot(i, first_row) * dim; };
  const bool weighted = bags.weights != nullptr;
  const auto weight = [&](Index i) { return weighted ? bags.weights[i] : 1.0f; };
  if (bags.unpooled) return copy_rows<Format>(bags, range, dim, row, out);
  const bool in_order = bags.sums_stride > 0 || nodes.offsets.empty();  // a sum for each bag
  if (in_order && !weighted && are_single(bags, range))
    return copy_singles<Format>(bags, range, dim, row, bags.sums_stride > 0 ? bags.sums_stride : dim, out);
  BagTree &tree = buffers.tree, &group_tree = buffers.group_tree;
  ShortSum<Format> sums(dim, buffers.short_sums);
  LongBag& long_bag = buffers.long_bag;
  std::vector<float>& slots = buffers.slots;
  const auto read = [&](Index bag) {
    if (bag < last) tree.read(bag % 2, block_of, ids + bags.offsets[bag], bags.length(bag));
  };
  read(first);
  for (Index bag = first; bag < last; ++bag) {
    read(bag + 1);
    const Index begin = bags.offsets[bag];
    const Index length = bags.offsets[bag + 1] - begin;
    for (Index i = begin + rows_ahead; i < std::min(end, begin + length + rows_ahead); ++i) prefetch_row(row(i), dim);
    float* target = out + (bags.sums_stride > 0 ? bag * bags.sums_stride : nodes.begin(bag) * dim);
    if (bags.sums_stride > 0)
      for (Index c = 0; c < dim; c += row_line) __builtin_prefetch(target + rows_ahead * bags.sums_stride + c, 1);
    if (length == 1) {
      const auto* const only = row(begin);
      const float w = weight(begin);
      for (Index c = 0; c < dim; ++c) target[c] = std::fma(w, Format().widen(only[c]), 0.0f);
    } else if (BagTree::takes(length)) {
      tree.find(bag % 2, blocks);
      sums.add_up(
          tree, length, weighted, [&](Index i) { return row(begin + i); }, [&](Index i) { return weight(begin + i); });
      for (const std::uint8_t root : tree.roots()) {
        const float* sum = sums.sum(root);
        for (Index c = 0; c < dim; ++c) target[c] = sum[c] + 0.0f;
        target += dim;
      }
    } else if (length > 1) {
      slots.resize(TreeOrder::max_slots * dim);
      TreeOrder order(blocks);
      long_bag.sort(block_of, ids + begin, length);
      const auto slot = [&](int k) { return slots.data() + k * dim; };
      const auto merge = [&](int into, int from) { add_row(dim, slot(into), slot(from), slot(into)); };
      over_groups(
          long_bag, group_tree, block_of, blocks,
          [&](Range group) {
            const Index* places = long_bag.places(group);
            sums.add_up(
                group_tree, group.size(), weighted, [&](Index i) { return row(begin + places[i]); },
                [&](Index i) { return weight(begin + places[i]); });
            for (const std::uint8_t root : group_tree.roots()) {
              float* const to = slot(order.push(block_of(long_bag.ids(group)[root]), merge));
              const float* sum = sums.sum(root);
              for (Index c = 0; c < dim; ++c) to[c] = sum[c] + 0.0f;
            }
          },
          [&](Range group) {
            Index last_block = -1;
            float* sum = nullptr;
            for (Index i = 0; i < group.size(); ++i) {
              const Index block = block_of(long_bag.ids(group)[i]), at = begin + long_bag.places(group)[i];
              const bool begins = std::exchange(last_block, block) != block;
              if (begins) sum = slot(order.push(block, merge));
              const auto* const next = row(at);
              const float w = weight(at);
              for (Index c = 0; c < dim; ++c) sum[c] = std::fma(w, Format().widen(next[c]), begins ? 0.0f : sum[c]);
            }
          });
      order.finish(merge);
      std::copy(slots.data(), slots.data() + order.size() * dim, target);
    } else if (bags.sums_stride > 0) {
      for (Index c = 0; c < dim; ++c) target[c] = 0.0f;
    }
  }
}

void pool(const ShardRows& shard, const Bags& bags, const Nodes& nodes, Range range, float* out) {
  PoolBuffers buffers;
  pool(shard, bags, nodes, range, out, buffers);
}

void pool(const ShardRows& shard, const Bags& bags, const Nodes& nodes, Range range, float* out, PoolBuffers& buffers) {
  with_format(shard.format,
              [&](auto format) { pool_rows<decltype(format)>(shard, bags, nodes, range, out, buffers.scratch()); });
}

}  // namespace tesserec::embedding
