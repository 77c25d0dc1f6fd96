// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::embedding {

/// The row blocks of a logical table, the leaves of the tree by which a bag is pooled: 1024 blocks of ceil(rows / 1024)
/// consecutive rows; the last ones may be short or empty.
class RowBlocks {
 public:
  static constexpr Index count = 1024;

  explicit RowBlocks(Index rows = 1)
      : rows_(rows),
        rows_per_block_((rows + count - 1) / count),
        inverse_(rows > Index{1} << 36 ? 0 : ~std::uint64_t{0} / std::uint64_t(rows_per_block_)) {}

  /// row / rows per block, by a multiplication, which is exact while (row + 1) * rows per block < 2^64: a division
  /// costs more than the rest of what is done for an id.
  TESSEREC_FUNCTION Index block(Index row) const {
    if (inverse_ == 0) return row / rows_per_block_;
#ifdef __CUDA_ARCH__
    return Index(__umul64hi(std::uint64_t(row) + 1, inverse_));
#else
    __extension__ using Wide = unsigned __int128;
    return Index(Wide(std::uint64_t(row) + 1) * inverse_ >> 64);
#endif
  }
  /// Rows of the blocks [first, last).
  Range rows(Range blocks) const {
    return {std::min(rows_, blocks.begin * rows_per_block_), std::min(rows_, blocks.end * rows_per_block_)};
  }
  /// Blocks of owner i of n: rows are cut at block borders only. What is cut is the smallest subtree that holds all
  /// rows, so that a table of few rows is shared out too, and owners of 2, 4, 8, ... hold whole subtrees.
  Range of_owner(Index i, Index n) const {
    const Index used = std::bit_ceil(std::uint64_t(block(rows_ - 1) + 1));
    return {i * used / n, i + 1 == n ? count : (i + 1) * used / n};
  }

 private:
  Index rows_;
  Index rows_per_block_;
  std::uint64_t inverse_;  // floor((2^64 - 1) / rows_per_block_); 0: too many rows
};

}  // namespace tesserec::embedding
