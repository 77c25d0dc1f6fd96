// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/tree.hpp>

namespace tesserec::embedding {

/// Gradients of rows, each summed over one micro-batch, added over the micro-batches by the fixed tree as they come; a
/// micro-batch without the row adds nothing. About log2(micro-batches) lists of rows are alive.
class GatheredRows {
 public:
  struct Rows {
    std::vector<Index> rows;       ///< ascending, of the shard
    std::vector<float> gradients;  ///< [rows.size(), dim]
  };

  explicit GatheredRows(Index dim) : dim_(dim) {}

  /// No micro-batch.
  void clear();
  /// Where the rows of the next micro-batch are to be written, before any other call; empty.
  Rows& next();
  /// After the last: the sums over all, which may be written to. Empty without a micro-batch.
  Rows& finish();

 private:
  void merge(int into, int from);

  Index dim_;
  Index micro_batches_ = 0;  // so far
  TreeOrder order_{whole_tree};
  std::vector<Rows> slots_;
  Rows scratch_;
};

}  // namespace tesserec::embedding
