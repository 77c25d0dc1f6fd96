// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/row_gradient.hpp>

namespace tesserec::embedding {

/// Gradients by row in the host's memory: one per row, or one per subtree of one rank's lanes.
struct RowSums {
  std::vector<Index> rows;    ///< rows of the logical table, ascending
  std::vector<Index> leaves;  ///< a lane below each sum; empty if each row has one sum
  std::vector<float> sums;    ///< [rows.size(), dim]

  void clear();
};

/// Adds sums over subtrees of lanes, which are in lane order within a row, to one sum per row. RowUse::row must be a
/// row. `rows`: bound of the rows.
RowSums add_sums(const Exec& exec, std::vector<RowUse> uses, Index rows, const float* sums, Index dim);
/// Adds the uses of each row to one sum. The uses must be sorted by RowUse::row. `are_sums`: `sums` of sum_rows.
RowSums sum_all_rows(const Exec& exec, std::span<const RowUse> uses, const float* gradients, Index dim, bool are_sums);

/// Multiplies gradients by `scale` and clips each number to magnitude `bound`; 0 = no clipping.
void limit(const Exec& exec, RowSums& sums, float scale, float bound);

/// Gradients of one shard's rows, each summed over one micro-batch and added over the micro-batches by the fixed tree.
/// A micro-batch without a row adds nothing to it. About log2(micro-batches) lists of rows are alive.
class GatheredRows {
 public:
  explicit GatheredRows(Index dim) : dim_(dim) {}

  /// Adds the sums of the next micro-batch, one per row.
  void add(RowSums sums);
  /// Completes the tree and returns the sums over all micro-batches, empty without any. clear() must precede the next
  /// add().
  RowSums& finish();
  void clear();

  /// Adds the squares of the gathered gradients to `sum`. Completes the tree as finish() does.
  void add_squares(const Exec& exec, ExactSum& sum);

 private:
  void merge(int into, int from);

  Index dim_;
  Index micro_batches_ = 0;
  TreeOrder order_{whole_tree};
  std::vector<RowSums> slots_ = std::vector<RowSums>(1);
  RowSums scratch_;
};

}  // namespace tesserec::embedding
