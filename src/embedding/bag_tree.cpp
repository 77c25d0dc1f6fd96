// SPDX-License-Identifier: Apache-2.0
// A key is an id's block and its place in the bag. In the order of keys, an id and the one before it meet at the lowest
// node that has both. There the sum of the node's right half, kept at the half's least key, which is that id, is added
// to the sum of the left half, kept at the node's least key. So each id but the least is added once, at a height and to
// a place found by two searches for a least difference over all keys.
#include "bag_tree.hpp"

#include <algorithm>
#include <cassert>
#include <limits>

#include <tesserec/core/kernel.hpp>

namespace tesserec::embedding {
namespace {

constexpr int place_bits = 6;
static_assert(BagTree::most_ids == 1 << place_bits);
constexpr int elements = 8;  // of a vector
constexpr std::int32_t never = std::numeric_limits<std::int32_t>::max();
constexpr std::int32_t whole_height = 24;  // of no node of the tree

using Keys [[gnu::vector_size(4 * elements), gnu::aligned(4), gnu::may_alias]] = std::int32_t;
using Differences [[gnu::vector_size(4 * elements), gnu::aligned(4), gnu::may_alias]] = std::uint32_t;
using Floats [[gnu::vector_size(4 * elements)]] = float;

/// Bits of x < 2^24: the exponent of the float.
[[gnu::always_inline]] inline void bit_width(const Keys& x, Keys& width) {
  const Floats value = __builtin_convertvector(x, Floats);
  width = (reinterpret_cast<const Keys&>(value) >> 23) - 126;
  width = width < 0 ? Keys{} : width;
}

[[gnu::always_inline]] inline std::size_t sum(const Keys& keys) {
  std::int32_t sum = 0;
  for (int i = 0; i < elements; ++i) sum += keys[i];
  return sum;
}

}  // namespace

/// A group of vectors at a time, so that they stay in registers.
template <int vectors>
[[gnu::always_inline]] inline void BagTree::find(Range blocks, const std::int32_t (&keys)[most_ids], Index length) {
  constexpr int group = std::min(vectors, 4);
  std::int32_t nodes[elements * vectors], times[elements * vectors], least[elements * vectors],
      order[elements * vectors];
  const Keys places{0, 1, 2, 3, 4, 5, 6, 7};
  const auto at_vector = [](auto& numbers, int v) -> Keys& { return reinterpret_cast<Keys&>(numbers[elements * v]); };
  const std::int32_t first = blocks.begin, last = blocks.end;
  Keys count{}, in_blocks{};
  for (int at = 0; at < vectors; at += group) {
    Differences below[group], distance[group];
    for (int v = 0; v < group; ++v) {
      below[v] = reinterpret_cast<const Differences&>(keys[elements * (at + v)]) - 1;
      distance[v] = ~Differences{};
    }
    for (Index j = 0; j < length; ++j) {
#pragma GCC unroll 4
      for (int v = 0; v < group; ++v) {
        const Differences d = below[v] - std::uint32_t(keys[j]);  // large where that key is not below
        distance[v] = distance[v] < d ? distance[v] : d;
      }
    }
#pragma GCC unroll 4
    for (int v = 0; v < group; ++v) {
      const Differences own = below[v] + 1, before = below[v] - distance[v];
      const Keys key = reinterpret_cast<const Keys&>(own), none = reinterpret_cast<const Keys&>(distance[v]) < 0;
      Keys height;
      bit_width((key ^ reinterpret_cast<const Keys&>(before)) >> place_bits, height);
      height = none ? Keys{} + whole_height : height;
      const Keys node = key >> place_bits >> height << height, place = places + elements * (at + v);
      const Keys inside = (node >= first) & (node + (1 << height) <= last) & (place < std::int32_t(length));
      at_vector(nodes, at + v) = node << place_bits;
      at_vector(times, at + v) = inside ? (height << place_bits) + place : Keys{} + never;
      count -= inside;
      in_blocks -= inside & (height == 0);
    }
  }
  for (int at = 0; at < vectors; at += group) {
    Keys time[group], earlier[group];
    Differences node[group], nearest[group];
    for (int v = 0; v < group; ++v) {
      node[v] = reinterpret_cast<const Differences&>(nodes[elements * (at + v)]), nearest[v] = ~Differences{};
      time[v] = at_vector(times, at + v), earlier[v] = Keys{};
    }
    for (Index j = 0; j < length; ++j) {
#pragma GCC unroll 4
      for (int v = 0; v < group; ++v) {
        const Differences d = std::uint32_t(keys[j]) - node[v];  // large where that key is below the node
        nearest[v] = nearest[v] < d ? nearest[v] : d;
        earlier[v] -= times[j] < time[v];
      }
    }
    for (int v = 0; v < group; ++v) {
      const Differences key = node[v] + nearest[v];
      at_vector(least, at + v) = reinterpret_cast<const Keys&>(key) & std::int32_t(most_ids - 1);
      at_vector(order, at + v) = earlier[v];
    }
  }
  count_ = sum(count), in_blocks_ = sum(in_blocks), root_count_ = 0;
  for (std::int32_t i = 0; i < length; ++i) additions_[order[i]] = {least[i], i};  // the roots behind the last addition
  if (Index(count_) + 1 == length) {
    roots_[root_count_++] = additions_[count_].from;
    return;
  }
  for (std::int32_t i = 0; i < length; ++i)
    if (times[i] == never) roots_[root_count_++] = i;
  std::sort(roots_.begin(), roots_.begin() + root_count_,
            [&keys](std::int32_t a, std::int32_t b) { return keys[a] < keys[b]; });
}

TESSEREC_KERNEL void BagTree::build(const RowBlocks& table, Range blocks, const Index* ids, Index length) {
  assert(2 <= length && length <= most_ids);
  std::int32_t keys[most_ids];
  for (Index i = 0; i < length; ++i) keys[i] = table.block(ids[i]) << place_bits | i;
  const Index vectors = length <= 32 ? (length + elements - 1) / elements : most_ids / elements;
  for (Index i = length; i < vectors * elements; ++i) keys[i] = never;
  switch (vectors) {
    case 1:
      return find<1>(blocks, keys, length);
    case 2:
      return find<2>(blocks, keys, length);
    case 3:
      return find<3>(blocks, keys, length);
    case 4:
      return find<4>(blocks, keys, length);
    default:
      return find<8>(blocks, keys, length);
  }
}

}  // namespace tesserec::embedding
