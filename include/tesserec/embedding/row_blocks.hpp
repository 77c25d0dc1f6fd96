// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

#include <tesserec/embedding/block_of.hpp>

namespace tesserec::embedding {

/// Rows of the blocks of a table. By BlockOf::by_rows, the last blocks may be short or empty. `even`: the blocks have
/// even shares of the rows, which differ by at most one, for BlockOf::by_hash.
class RowBlocks {
 public:
  explicit RowBlocks(Index rows = 1, bool even = false)
      : rows_(rows), rows_per_block_((rows + block_count - 1) / block_count), even_(even) {}

  Index block(Index row) const { return even_ ? ((row + 1) * block_count - 1) / rows_ : row / rows_per_block_; }
  /// Returns the rows of a range of blocks.
  Range rows(Range blocks) const { return {first(blocks.begin), first(blocks.end)}; }
  /// Returns the blocks of owner i of n. It cuts the smallest subtree that holds all rows, so that a table of few rows
  /// is shared out too. Owners of 2, 4, 8, ... hold whole subtrees.
  Range of_owner(Index i, Index n) const {
    const Index used = even_ ? block_count : std::bit_ceil(std::uint64_t(block(rows_ - 1) + 1));
    return {i * used / n, i + 1 == n ? block_count : (i + 1) * used / n};
  }

 private:
  Index first(Index block) const {
    return even_ ? block * rows_ / block_count : std::min(rows_, block * rows_per_block_);
  }

  Index rows_;
  Index rows_per_block_;
  bool even_;
};

}  // namespace tesserec::embedding
