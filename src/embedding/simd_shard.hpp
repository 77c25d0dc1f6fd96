// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Step of a shard's optimizer, with its number.
struct ShardStep {
  optim::StepScalars scalars;
  Index number;
};

/// Returns the number of tasks into which the lookup of some bags is split.
Index lookup_tasks(const Bags& bags);
/// Writes the sums of the bags of one task to out[node, dim].
void lookup(const EmbeddingTable& table, Index task, const Bags& bags, const Nodes& nodes, float* out);

/// Backward pass of one shard's rows by the host's vector instructions.
class SimdShard {
 public:
  explicit SimdShard(EmbeddingTable& table) : table_(table) {}

  EmbeddingTable& table() const { return table_; }
  /// Sorts the uses of rows in a batch by slot, from bags or from the sums of a fetched shard.
  void order(const ShardBags& bags, const BatchSplit& split);
  void order(std::span<const RowUse> sums);

  /// Returns the gradients of the sorted batch by row: one per row, or sums over subtrees of one rank's lanes.
  RowSums sum(const Exec& exec, const float* gradients) const;
  RowSums sum_lanes(const float* gradients, Range lanes) const;

  /// Updates the rows of the sorted batch. finish_move() must follow the calls for all shares.
  void move(Index share, Index shares, const float* gradients, const ShardStep& step);
  void finish_move(const Exec& exec, const ShardStep& step);

  /// Updates rows by one gradient each, or computes a round of the update (RowMoves).
  void move_rows(const Exec& exec, const RowMoves::Rows& rows, const ShardStep& step);
  std::vector<float> sum_columns(const Exec& exec, const RowMoves::Rows& rows, const ShardStep& step, int round,
                                 const float* totals);
  void move_columns(const Exec& exec, const RowMoves::Rows& rows, const ShardStep& step, const float* totals);

 private:
  /// Returns the gradient, clipped into `scratch` if the optimizer clips.
  const float* clipped(const float* gradient, std::vector<float>& scratch) const;
  float* dense_gradient(Index slot) const { return table_.dense_gradient().data() + slot * table_.dim(); }
  void move_every_row(const Exec& exec, const ShardStep& step);
  /// Calls body(index in `rows`, row). Rows change by `step`, or are only read without one.
  template <class Body>
  void over_rows(const Exec& exec, const std::string& label, const RowMoves::Rows& rows, std::optional<Index> step,
                 const Body& body) const;

  EmbeddingTable& table_;
  std::vector<RowUse> uses_;  // uses of the sorted batch; RowUse::row is a slot
  bool are_sums_ = false;
};

}  // namespace tesserec::embedding
