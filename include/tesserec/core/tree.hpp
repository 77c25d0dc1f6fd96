// SPDX-License-Identifier: Apache-2.0
/// The fixed binary tree over leaves 0, 1, 2, ...: the order in which lanes, row blocks and column blocks are added.
/// Leaves a and b meet at the lowest node above both. An absent leaf adds nothing.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <span>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Returns the height of the lowest node above leaves a and b. The node's leaves agree in all bits from this height on.
inline int merge_height(Index a, Index b) { return std::bit_width(std::uint64_t(a) ^ std::uint64_t(b)); }

/// Order of additions over present leaves, pushed in ascending order: it names the partial sums to merge. The additions
/// are those of the fixed tree restricted to a range of leaves. The owner of [begin, end) merges only nodes inside its
/// range, and keeps the sums of whole subtrees. Pushing the sums of all ranges, in order, into a TreeOrder over the
/// full range yields the same bits as one owner of all.
///
/// Partial sums live in slots 0 .. size()-1 of the caller's storage; slot k is at most 63.
class TreeOrder {
 public:
  static constexpr int max_slots = 64;

  explicit TreeOrder(Range leaves) : leaves_(leaves) {}

  /// Adds a leaf after the last and returns its sum's slot. Calls merge(into, from) for each addition that becomes
  /// final.
  template <class Merge>
  int push(Index leaf, const Merge& merge) {
    while (size_ >= 2 && pair_height() < merge_height(leaf_[size_ - 1], leaf) && pair_inside()) pop(merge);
    assert(size_ < max_slots);
    leaf_[size_] = leaf;
    return size_++;
  }

  /// Merges all nodes inside the range after the last leaf. One slot remains if the range is a whole tree.
  template <class Merge>
  void finish(const Merge& merge) {
    while (size_ >= 2 && pair_inside()) pop(merge);
  }

  int size() const { return size_; }
  /// Returns a leaf under the node in a slot. The leaf suffices to push the node into another TreeOrder.
  Index leaf(int slot) const { return leaf_[slot]; }
  void clear() { size_ = 0; }

 private:
  int pair_height() const { return merge_height(leaf_[size_ - 2], leaf_[size_ - 1]); }
  bool pair_inside() const {
    const int height = pair_height();
    const Index first = leaf_[size_ - 1] >> height << height;
    return leaves_.begin <= first && first + (Index{1} << height) <= leaves_.end;
  }
  template <class Merge>
  void pop(const Merge& merge) {
    merge(size_ - 2, size_ - 1);
    --size_;
  }

  Range leaves_;
  std::array<Index, max_slots> leaf_;  // [0, size_) is valid; clearing it would cost more than most sums
  int size_ = 0;
};

/// Range of the whole tree over any number of leaves.
inline constexpr Range whole_tree{0, Index{1} << 62};

/// Returns the sum of `leaves`, of which there is at least one, by the whole tree.
inline double tree_sum(std::span<const double> leaves) {
  TreeOrder order(whole_tree);
  std::array<double, TreeOrder::max_slots> slot;
  const auto merge = [&](int into, int from) { slot[into] += slot[from]; };
  for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf) {
    const int at = order.push(Index(leaf), merge);
    slot[at] = leaves[leaf];
  }
  order.finish(merge);
  return slot[0];
}

}  // namespace tesserec
