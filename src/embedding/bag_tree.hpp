// SPDX-License-Identifier: Apache-2.0
/// Which of a bag's rows are added to which, by the tree of row blocks.
#pragma once

#include <array>
#include <span>

#include <tesserec/embedding/row_blocks.hpp>

namespace tesserec::embedding {

/// The additions of a short bag, found by comparing all pairs of its ids: no branch depends on them.
class BagTree {
 public:
  static constexpr Index most_ids = 64;

  /// Positions in the bag. What is at `from` is added to what is at `into` and is used no more.
  struct Addition {
    std::int32_t into, from;
  };

  /// `blocks`: of the owner; no addition at a node that does not lie inside.
  void build(const RowBlocks& table, Range blocks, const Index* ids, Index length);

  /// Of rows to the first one of their block, in bag order.
  std::span<const Addition> in_blocks() const { return {additions_.data(), in_blocks_}; }
  /// Of sums at the nodes above, lower ones first.
  std::span<const Addition> above_blocks() const { return {additions_.data() + in_blocks_, count_ - in_blocks_}; }
  /// Where the sums of whole subtrees are in the end, by block: positions in the bag.
  std::span<const std::int32_t> roots() const { return {roots_.data(), root_count_}; }

 private:
  template <int vectors>
  void find(Range blocks, const std::int32_t (&keys)[most_ids], Index length);

  std::array<Addition, most_ids> additions_;
  std::array<std::int32_t, most_ids> roots_;
  std::size_t count_ = 0, in_blocks_ = 0, root_count_ = 0;
};

}  // namespace tesserec::embedding
