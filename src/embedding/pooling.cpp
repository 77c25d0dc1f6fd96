// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/pooling.hpp>

namespace tesserec::embedding {
namespace {

constexpr Index prefetch_distance = 12;  // rows ahead; 8 to 16 are alike on the machines measured
constexpr Index line = 16;               // floats

/// Adds to rank[i] the number of keys below keys[i], so many at a time that they stay in registers: no branch depends
/// on the order.
template <Index width>
inline void count_below(Index n, const std::int32_t* keys, std::int32_t* rank) {
  std::int32_t below[width] = {};
  for (Index j = 0; j < n; ++j)
    for (Index i = 0; i < width; ++i) below[i] += keys[j] < keys[i];
  std::copy_n(below, width, rank);
}

/// The ids of one bag by block, in bag order inside a block. The vectors are used again bag after bag.
struct BlockOrder {
  static constexpr Index few = 32;
  std::vector<Index> block;
  std::vector<Index> position;  // in the bag

  void sort(const RowBlocks& table, const Index* ids, Index length) {
    block.resize(static_cast<std::size_t>(std::max(length, few)));
    position.resize(block.size());
    if (length <= few) return sort_few(table, ids, length);
    std::iota(position.begin(), position.begin() + length, Index{0});
    std::stable_sort(position.begin(), position.begin() + length,
                     [&](Index a, Index b) { return table.block(ids[a]) < table.block(ids[b]); });
    for (Index i = 0; i < length; ++i) block[i] = table.block(ids[position[i]]);
  }

 private:
  void sort_few(const RowBlocks& table, const Index* ids, Index length) {
    std::int32_t keys[few], rank[few];
    for (Index i = 0; i < length; ++i) keys[i] = static_cast<std::int32_t>(table.block(ids[i]) * few + i);
    for (Index i = length; i < few; ++i) keys[i] = std::numeric_limits<std::int32_t>::max();
    if (length <= 8)
      count_below<8>(length, keys, rank);
    else if (length <= 16)
      count_below<16>(length, keys, rank);
    else
      count_below<few>(length, keys, rank);
    for (Index i = 0; i < length; ++i) block[rank[i]] = keys[i] / few, position[rank[i]] = i;
  }
};

void add(float* a, const float* b, Index dim) {
  for (Index c = 0; c < dim; ++c) a[c] += b[c];
}

}  // namespace

Nodes subtree_nodes(const RowBlocks& table, Range blocks, const Bags& bags) {
  Nodes nodes;
  nodes.offsets.resize(static_cast<std::size_t>(bags.count + 1));
  if (blocks.size() == RowBlocks::count) {
    for (Index bag = 0; bag < bags.count; ++bag) nodes.offsets[bag + 1] = nodes.offsets[bag] + (bags.length(bag) > 0);
    nodes.leaves.resize(static_cast<std::size_t>(nodes.offsets[bags.count]));
    return nodes;
  }
  nodes.leaves.reserve(static_cast<std::size_t>(bags.count));
  BlockOrder order;
  const auto nothing = [](int, int) {};
  for (Index bag = 0; bag < bags.count; ++bag) {
    const Index length = bags.length(bag);
    const Index* ids = bags.ids + bags.offsets[bag];
    if (length == 1) {
      nodes.leaves.push_back(table.block(ids[0]));
    } else if (length > 1) {
      order.sort(table, ids, length);
      TreeOrder tree(blocks);
      for (Index i = 0; i < length; ++i)
        if (i == 0 || order.block[i] != order.block[i - 1]) tree.push(order.block[i], nothing);
      tree.finish(nothing);
      for (int k = 0; k < tree.size(); ++k) nodes.leaves.push_back(tree.leaf(k));
    }
    nodes.offsets[bag + 1] = static_cast<Index>(nodes.leaves.size());
  }
  return nodes;
}

TESSEREC_KERNEL void pool(const RowBlocks& table, Range blocks, const float* rows, Index first_row, Index dim,
                          const Bags& bags, const Nodes& nodes, Index first, Index last, float* out) {
  BlockOrder order;
  std::vector<float> slots;  // partial sums of a bag with several ids
  const Index* ids = bags.ids;
  const Index end = bags.offsets[last];
  const auto row = [&](Index i) {
    return rows + (bags.places == nullptr ? (ids[i] - first_row) * dim : bags.places[i]);
  };
  const auto weight = [&](Index i) { return bags.weights == nullptr ? 1.0f : bags.weights[i]; };
  for (Index bag = first; bag < last; ++bag) {
    const Index begin = bags.offsets[bag];
    const Index length = bags.offsets[bag + 1] - begin;
    for (Index i = begin + prefetch_distance; i < std::min(end, begin + length + prefetch_distance); ++i)
      for (Index c = 0; c < dim; c += line) __builtin_prefetch(row(i) + c);
    float* target = out + (bags.sums_stride > 0 ? bag * bags.sums_stride : nodes.offsets[bag] * dim);
    if (length == 1) {
      const float* only = row(begin);
      const float w = weight(begin);
      for (Index c = 0; c < dim; ++c) target[c] = std::fma(w, only[c], 0.0f);
    } else if (length > 1) {
      slots.resize(static_cast<std::size_t>(TreeOrder::max_slots * dim));
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
