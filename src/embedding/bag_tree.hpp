// SPDX-License-Identifier: Apache-2.0
/// Order of the additions in a bag, by the tree of row blocks. The functions are inlined into the kernels that call
/// them.
///
/// A key holds an id's block and the id's position in the bag. In key order, an id and its predecessor meet at the
/// lowest node above both. The addition at this node adds the right half's sum to the left half's sum. The right half's
/// sum lies at the half's least key, which is the id's own. The left half's sum lies at the node's least key. Each id
/// but the least is thus the source of exactly one addition. Node and target are found by two searches for a least
/// difference over all keys, which have no data-dependent branch.
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstring>
#include <span>

#include <tesserec/core/kernel.hpp>
#include <tesserec/embedding/block_of.hpp>

namespace tesserec::embedding {

/// Additions of a short bag, with buffers for two bags. The caller reads the next bag before it finds this bag's
/// additions. A vector load of keys that were stored one by one stalls until all stores have reached the cache.
class BagTree {
 public:
  static constexpr Index max_ids = 63;  // keys hold 64 positions, and the last key is `never`

  /// Pair of positions in the bag. The sum at `from` is added to the sum at `into` and not used afterwards.
  struct Addition {
    std::uint8_t into, from;
  };

  /// Returns whether a bag has from 2 to max_ids ids. read() ignores all other bags.
  static bool takes(Index length) { return 2 <= length && length <= max_ids; }

  TESSEREC_HOST_FUNCTION void read(int bag, const BlockOf& block_of, const Index* ids, Index length) {
    if (!takes(length)) return;
    Read& to = bags_[bag];
    to.length = length;
    for (Index i = 0; i < length; ++i) to.keys[i] = std::uint16_t(block_of(ids[i]) << place_bits | i);
    for (Index i = length; i < vectors(length) * elements; ++i) to.keys[i] = never;
  }

  /// Finds the additions of a bag that was read. `blocks`: blocks of the owner. Nodes that do not lie inside them get
  /// no addition.
  TESSEREC_HOST_FUNCTION void find(int bag, Range blocks) {
    const Read& from = bags_[bag];
    switch (vectors(from.length)) {
      case 1:
        return find<1>(blocks, from.keys, from.length);
      case 2:
        return find<2>(blocks, from.keys, from.length);
      default:
        return find<4>(blocks, from.keys, from.length);
    }
  }

  std::span<const Addition> additions() const { return {additions_.data(), count_}; }
  /// Returns the first additions, which add rows to the first row of their block, in bag order.
  std::span<const Addition> in_blocks() const { return {additions_.data(), in_blocks_}; }
  /// Returns the remaining additions, which add sums at the nodes above blocks, lower nodes first.
  std::span<const Addition> above_blocks() const { return additions().subspan(in_blocks_); }
  /// Returns the positions in the bag where the sums of whole subtrees lie after all additions, in block order.
  std::span<const std::uint8_t> roots() const { return {roots_.data(), root_count_}; }

 private:
  static constexpr int place_bits = 6, elements = 16;  // number of elements of a vector register
  static constexpr std::uint16_t never = 0xFFFF;
  static_assert(block_count == 1 << (16 - place_bits) && max_ids == (1 << place_bits) - 1);
  using Keys [[gnu::vector_size(2 * elements), gnu::aligned(2), gnu::may_alias]] = std::uint16_t;
  using Times [[gnu::vector_size(2 * elements), gnu::aligned(2), gnu::may_alias]] = std::int16_t;
  using Words [[gnu::vector_size(2 * elements), gnu::aligned(2), gnu::may_alias]] = std::uint64_t;

  struct Read {
    std::uint16_t keys[64];
    Index length = 0;
  };

  static int several(Index length) { return length <= 2 * elements ? 2 : 4; }
  static int vectors(Index length) { return length <= elements ? 1 : several(length); }
  /// Returns the sum of all elements, which must be below 2^16.
  TESSEREC_HOST_FUNCTION static std::size_t sum(const Keys& numbers) {
    const Words& four = reinterpret_cast<const Words&>(numbers);
    return ((four[0] + four[1]) + (four[2] + four[3])) * 0x0001000100010001u >> 48;
  }

  template <int vectors>
  TESSEREC_HOST_FUNCTION void find(Range blocks, const std::uint16_t* keys, Index length);

  Read bags_[2];
  std::array<Addition, max_ids + 1> additions_;
  std::array<std::uint8_t, max_ids + 1> roots_;
  std::size_t count_ = 0, in_blocks_ = 0, root_count_ = 0;
};

template <int vectors>
TESSEREC_HOST_FUNCTION void BagTree::find(Range blocks, const std::uint16_t* keys, Index length) {
  std::uint16_t pairs[elements * vectors], order[elements * vectors];
  std::int16_t
      times[elements * vectors];  // sort keys of the additions: (node size, position) - 2^15, for signed compares
  const Keys places{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const std::uint16_t first = blocks.begin, last = blocks.end - 1;
  Keys count{}, in_blocks{}, below[vectors], distance[vectors], node[vectors], nearest[vectors], earlier[vectors];
  Times time[vectors];
  for (int v = 0; v < vectors; ++v) {
    below[v] = reinterpret_cast<const Keys&>(keys[elements * v]) - 1;
    distance[v] = nearest[v] = ~Keys{};
    earlier[v] = Keys{};
  }
  for (Index j = 0; j < length; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Keys d = below[v] - keys[j];  // wraps to a large value unless keys[j] < key
      distance[v] = distance[v] < d ? distance[v] : d;
    }
#pragma GCC unroll 4
  for (int v = 0; v < vectors; ++v) {
    const Keys key = below[v] + 1, before = below[v] - distance[v], place = places + std::uint16_t(elements * v);
    Keys size = (key ^ before) >> place_bits;  // number of blocks below the node, less 1
    for (const int bits : {1, 2, 4, 8}) size |= size >> bits;
    const Keys block = key >> place_bits, begin = block & ~size, end = block | size;
    const Keys inside =
        Keys(before < key) & Keys(begin >= first) & Keys(end <= last) & Keys(place < std::uint16_t(length));
    const Keys when = ((size << place_bits) + place) | ~inside;
    node[v] = begin << place_bits;
    time[v] = reinterpret_cast<const Times&>(when) ^ std::int16_t(-0x8000);
    reinterpret_cast<Times&>(times[elements * v]) = time[v];
    count -= inside;
    in_blocks -= inside & Keys(size == 0);
  }
  for (Index j = 0; j < length; ++j)
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Keys d = keys[j] - node[v];  // wraps to a large value if keys[j] is below the node's range
      nearest[v] = nearest[v] < d ? nearest[v] : d;
      earlier[v] -= Keys(times[j] < time[v]);
    }
  for (int v = 0; v < vectors; ++v) {
    const Keys place = places + std::uint16_t(elements * v);
    reinterpret_cast<Keys&>(pairs[elements * v]) = ((node[v] + nearest[v]) & std::uint16_t(max_ids)) | place << 8;
    reinterpret_cast<Keys&>(order[elements * v]) = earlier[v];
  }
  count_ = sum(count);
  in_blocks_ = sum(in_blocks);
  root_count_ = 0;
  for (Index i = 0; i < length; ++i)  // roots, which are no source of an addition, all land at additions_[count_]
    std::memcpy(&additions_[order[i]], &pairs[i], sizeof(Addition));
  if (Index(count_) + 1 == length) {
    roots_[root_count_++] = additions_[count_].from;
    return;
  }
  for (Index i = 0; i < length; ++i)
    if (times[i] == std::int16_t(never ^ 0x8000)) roots_[root_count_++] = std::uint8_t(i);
  std::sort(roots_.begin(), roots_.begin() + root_count_,
            [keys](std::uint8_t a, std::uint8_t b) { return keys[a] < keys[b]; });
}

}  // namespace tesserec::embedding
