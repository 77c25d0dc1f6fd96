// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>

#include <tesserec/core/lanes.hpp>

namespace tesserec::embedding {

/// The row blocks of a logical table, the leaves of the tree by which a bag is pooled: 1024 blocks of ceil(rows / 1024)
/// consecutive rows; the last ones may be short or empty.
class RowBlocks {
 public:
  static constexpr Index count = 1024;

  explicit RowBlocks(Index rows) : rows_(rows), rows_per_block_((rows + count - 1) / count) {}

  Index block(Index row) const { return row / rows_per_block_; }
  /// Rows of the blocks [first, last).
  Range rows(Range blocks) const {
    return {std::min(rows_, blocks.begin * rows_per_block_), std::min(rows_, blocks.end * rows_per_block_)};
  }
  /// Blocks of owner i of n: rows are cut at block borders only.
  static Range of_owner(Index i, Index n) { return {i * count / n, (i + 1) * count / n}; }

 private:
  Index rows_;
  Index rows_per_block_;
};

}  // namespace tesserec::embedding
