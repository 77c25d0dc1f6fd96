// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/exact_sum.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/tree.hpp>
#include <tesserec/embedding/row_gradient.hpp>

namespace tesserec::embedding {

/// Gradients by row, in the host's memory: one a row, or one for each subtree of one rank's lanes.
struct RowSums {
  std::vector<Index> rows;    ///< of the logical table, ascending
  std::vector<Index> leaves;  ///< a lane of each; empty where there is one sum a row
  std::vector<float> sums;    ///< [rows.size(), dim]

  void clear();
};

/// Adds sums over subtrees of lanes, lane order within a row, to one sum a row. `uses`: RowUse::row is a row.
RowSums add_sums(const Exec& exec, std::vector<RowUse> uses, Index rows, const float* sums, Index dim);
/// Adds the uses of each row, which are sorted by RowUse::row, to one sum. `are_sums` as in sum_rows.
RowSums sum_all_rows(const Exec& exec, std::span<const RowUse> uses, const float* gradients, Index dim, bool are_sums);

/// Multiplies gradients by `scale` and cuts them by value to magnitude `most`; 0: uncut.
void limit(const Exec& exec, RowSums& sums, float scale, float most);

/// Gradients of one shard's rows, each summed over one micro-batch, added over the micro-batches by the fixed tree as
/// they come. A micro-batch without a row adds nothing to it. About log2(micro-batches) lists of rows are alive.
class GatheredRows {
 public:
  explicit GatheredRows(Index dim) : dim_(dim) {}

  /// Takes the sums of the next micro-batch, one a row.
  void add(RowSums sums);
  /// Ends the tree and returns the sums over all micro-batches; empty without any. A call of clear() must follow.
  RowSums& finish();
  void clear();

  /// Adds the squares of the gathered gradients to `sum`.
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
