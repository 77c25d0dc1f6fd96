// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <numeric>

#include "bag_tree.hpp"
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/pooling.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index prefetch_distance = 12;  // rows ahead; 8 to 16 are alike on the machines measured
constexpr Index line = 16;               // floats

/// The ids of a long bag by block, in bag order inside a block. The vectors are used again bag after bag.
struct BlockOrder {
  std::vector<Index> block;
  std::vector<Index> position;  // in the bag

  void sort(const RowBlocks& table, const Index* ids, Index length) {
    block.resize(length);
    position.resize(block.size());
    std::iota(position.begin(), position.end(), Index{0});
    std::stable_sort(position.begin(), position.end(),
                     [&](Index a, Index b) { return table.block(ids[a]) < table.block(ids[b]); });
    for (Index i = 0; i < length; ++i) block[i] = table.block(ids[position[i]]);
  }
};

void add(float* a, const float* b, Index dim) {
  for (Index c = 0; c < dim; ++c) a[c] += b[c];
}

/// The row of each id of bags [first, last).
template <class Row>
void copy_rows(const Bags& bags, Index first, Index last, Index dim, const Row& row, float* out) {
  const Index stride = bags.sums_stride > 0 ? bags.sums_stride : dim, end = bags.offsets[last];
  for (Index i = bags.offsets[first]; i < end; ++i) {
    if (i + prefetch_distance < end)
      for (Index c = 0; c < dim; c += line) __builtin_prefetch(row(i + prefetch_distance) + c);
    std::copy_n(row(i), dim, out + (i - bags.offsets[0]) * stride);
  }
}

}  // namespace

Nodes subtree_nodes(const RowBlocks& table, Range blocks, const Bags& bags) {
  Nodes nodes;
  nodes.offsets.resize(bags.count + 1);
  if (bags.unpooled) {
    for (Index bag = 0; bag < bags.count; ++bag) nodes.offsets[bag + 1] = bags.offsets[bag + 1] - bags.offsets[0];
    return nodes;
  }
  if (blocks.size() == RowBlocks::count) {
    for (Index bag = 0; bag < bags.count; ++bag) nodes.offsets[bag + 1] = nodes.offsets[bag] + (bags.length(bag) > 0);
    nodes.leaves.resize(nodes.offsets[bags.count]);
    return nodes;
  }
  nodes.leaves.reserve(bags.count);
  BagTree short_bag;
  BlockOrder order;
  const auto nothing = [](int, int) {};
  for (Index bag = 0; bag < bags.count; ++bag) {
    const Index length = bags.length(bag);
    const Index* ids = bags.ids + bags.offsets[bag];
    if (length == 1) {
      nodes.leaves.push_back(table.block(ids[0]));
    } else if (length > 1 && length <= BagTree::most_ids) {
      short_bag.build(table, blocks, ids, length);
      for (const std::int32_t i : short_bag.roots()) nodes.leaves.push_back(table.block(ids[i]));
    } else if (length > 1) {
      order.sort(table, ids, length);
      TreeOrder tree(blocks);
      for (Index i = 0; i < length; ++i)
        if (i == 0 || order.block[i] != order.block[i - 1]) tree.push(order.block[i], nothing);
      tree.finish(nothing);
      for (int k = 0; k < tree.size(); ++k) nodes.leaves.push_back(tree.leaf(k));
    }
    nodes.offsets[bag + 1] = std::ssize(nodes.leaves);
  }
  return nodes;
}

TESSEREC_KERNEL void pool(const RowBlocks& table, Range blocks, const float* rows, Index first_row, Index dim,
                          const Bags& bags, const Nodes& nodes, Index first, Index last, float* out) {
  BagTree short_bag;
  BlockOrder order;
  std::vector<float> slots;  // partial sums of a bag with several ids
  static_assert(BagTree::most_ids <= TreeOrder::max_slots);
  const Index* ids = bags.ids;
  const Index end = bags.offsets[last];
  const auto row = [&](Index i) {
    return rows + (bags.places == nullptr ? (ids[i] - first_row) * dim : bags.places[i]);
  };
  const auto weight = [&](Index i) { return bags.weights == nullptr ? 1.0f : bags.weights[i]; };
  if (bags.unpooled) return copy_rows(bags, first, last, dim, row, out);
  for (Index bag = first; bag < last; ++bag) {
    const Index begin = bags.offsets[bag];
    const Index length = bags.offsets[bag + 1] - begin;
    for (Index i = begin + prefetch_distance; i < std::min(end, begin + length + prefetch_distance); ++i)
      for (Index c = 0; c < dim; c += line) __builtin_prefetch(row(i) + c);
    float* target = out + (bags.sums_stride > 0 ? bag * bags.sums_stride : nodes.offsets[bag] * dim);
    if (bags.sums_stride > 0)
      for (Index c = 0; c < dim; c += line) __builtin_prefetch(target + prefetch_distance * bags.sums_stride + c, 1);
    if (length == 1) {
      const float* only = row(begin);
      const float w = weight(begin);
      for (Index c = 0; c < dim; ++c) target[c] = std::fma(w, only[c], 0.0f);
    } else if (length > 1 && length <= BagTree::most_ids) {
      slots.resize(TreeOrder::max_slots * dim);
      for (Index i = 0; i < length; ++i) {
        const float* next = row(begin + i);
        const float w = weight(begin + i);
        float* sum = slots.data() + i * dim;
        for (Index c = 0; c < dim; ++c) sum[c] = std::fma(w, next[c], 0.0f);
      }
      short_bag.build(table, blocks, ids + begin, length);
      for (const auto [into, from] : short_bag.in_blocks()) {
        const float* next = row(begin + from);
        const float w = weight(begin + from);
        float* sum = slots.data() + into * dim;
        for (Index c = 0; c < dim; ++c) sum[c] = std::fma(w, next[c], sum[c]);
      }
      for (const auto [into, from] : short_bag.above_blocks())
        add(slots.data() + into * dim, slots.data() + from * dim, dim);
      for (const std::int32_t root : short_bag.roots()) target = std::copy_n(slots.data() + root * dim, dim, target);
    } else if (length > 1) {
      slots.resize(TreeOrder::max_slots * dim);
      order.sort(table, ids + begin, length);
      TreeOrder tree(blocks);
      const auto merge = [&](int into, int from) { add(slots.data() + into * dim, slots.data() + from * dim, dim); };
      float* sum = nullptr;
      for (Index i = 0; i < length; ++i) {
        const Index at = begin + order.position[i];
        const float* next = row(at);
        const float w = weight(at);
        if (i == 0 || order.block[i] != order.block[i - 1]) {
          sum = slots.data() + tree.push(order.block[i], merge) * dim;
          for (Index c = 0; c < dim; ++c) sum[c] = std::fma(w, next[c], 0.0f);
        } else {
          for (Index c = 0; c < dim; ++c) sum[c] = std::fma(w, next[c], sum[c]);
        }
      }
      tree.finish(merge);
      std::copy(slots.data(), slots.data() + tree.size() * dim, target);
    } else if (bags.sums_stride > 0) {
      for (Index c = 0; c < dim; ++c) target[c] = 0.0f;
    }
  }
}

}  // namespace tesserec::embedding
