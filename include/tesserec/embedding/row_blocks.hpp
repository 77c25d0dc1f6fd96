// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>

#include <tesserec/embedding/block_of.hpp>

namespace tesserec::embedding {

/// Blocks of a table of consecutive ids, as BlockOf::by_rows cuts them. The last blocks may be short or empty.
class RowBlocks {
 public:
  explicit RowBlocks(Index rows = 1) : rows_(rows), rows_per_block_((rows + block_count - 1) / block_count) {}

  Index block(Index row) const { return row / rows_per_block_; }
  /// Returns the rows of a range of blocks.
  Range rows(Range blocks) const {
    return {std::min(rows_, blocks.begin * rows_per_block_), std::min(rows_, blocks.end * rows_per_block_)};
  }
  /// Returns the blocks of owner i of n. It cuts the smallest subtree that holds all rows, so that a table of few rows
  /// is shared out too. Owners of 2, 4, 8, ... hold whole subtrees.
  Range of_owner(Index i, Index n) const {
    const Index used = std::bit_ceil(std::uint64_t(block(rows_ - 1) + 1));
    return {i * used / n, i + 1 == n ? block_count : (i + 1) * used / n};
  }

 private:
  Index rows_;
  Index rows_per_block_;
};

}  // namespace tesserec::embedding
