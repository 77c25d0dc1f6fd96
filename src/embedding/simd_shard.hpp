// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Returns the number of tasks of the lookup of some bags, which threads share.
Index lookup_tasks(const Bags& bags);
/// Writes the sums of the bags of one task to out[node, dim].
void lookup(const EmbeddingTable& table, Index task, const Bags& bags, const Nodes& nodes, float* out);

/// The way back of one shard's rows by the host's vector instructions.
class SimdShard {
 public:
  explicit SimdShard(EmbeddingTable& table) : table_(table) {}

  EmbeddingTable& table() const { return table_; }
  /// Sorts the uses of rows in a batch by slot, from bags or from the sums of a fetched shard.
  void order(const ShardBags& bags, const BatchSplit& split);
  void order(std::span<const RowUse> sums);

  /// Returns the gradients by row of the ordered batch: one a row, or sums over subtrees of one rank's lanes.
  RowSums sum(const Exec& exec, const float* gradients) const;
  RowSums sum_lanes(const float* gradients, Range lanes) const;

  /// Moves the rows of the ordered batch: every share of `shares`, then finish_move.
  void move(Index share, Index shares, const float* gradients, const optim::StepScalars& step);
  void finish_move(const Exec& exec, const optim::StepScalars& step);

  /// Moves rows by one gradient each, or a round of it (RowMoves).
  void move_rows(const Exec& exec, const RowMoves::Rows& rows, const optim::StepScalars& step);
  std::vector<float> sum_columns(const Exec& exec, const RowMoves::Rows& rows, const optim::StepScalars& step,
                                 int round, const float* totals);
  void move_columns(const Exec& exec, const RowMoves::Rows& rows, const optim::StepScalars& step, const float* totals);

 private:
  /// The gradient as the optimizer wants it: cut by value, into `scratch`, if it says so.
  const float* clipped(const float* gradient, std::vector<float>& scratch) const;
  float* dense_gradient(Index slot) const { return table_.dense_gradient().data() + slot * table_.dim(); }
  void move_every_row(const Exec& exec, const optim::StepScalars& step);
  template <class Body>  // body(place among `rows`, row)
  void over_rows(const Exec& exec, const std::string& label, const RowMoves::Rows& rows, const Body& body) const;

  EmbeddingTable& table_;
  std::vector<RowUse> uses_;  // of the ordered batch; RowUse::row is a slot
  bool are_sums_ = false;
};

}  // namespace tesserec::embedding
