// SPDX-License-Identifier: Apache-2.0
/// Launches by which rows of several shards of one dim and optimizer type move.
#pragma once

#include "run_sums.hpp"
#include <tesserec/optim/row_rules.hpp>

namespace tesserec::embedding {

/// A shard's step.
struct DeviceStep {
  optim::StepScalars scalars;
  float most;  // magnitude of a gradient's numbers
};

/// Rows one after the other: those of runs, or a list of one shard, or, without, all of it.
struct RowList {
  Index most = 0;                       // rows
  const Index* count = nullptr;         // how many; null: `most`
  const std::uint64_t* keys = nullptr;  // shard << row_bits | row; null: the place
  int row_bits = 63;
};
inline RowList rows_of(const RunArrays& runs) { return {runs.most, runs.runs, runs.row, runs.row_bits}; }

/// Shards and their steps, where kernels read them.
struct MovingShards {
  optim::Type type;
  const DeviceShard* shards;
  const DeviceStep* steps;
  Index dim, first_column, whole_dim;
};

/// use(rule) with the rule of any type.
template <class Use>
void with_rule(optim::Type type, const Use& use) {
  optim::with_elementwise_rule(type, use);
  optim::with_row_rule(type, use);
}

/// Columns of the widest row that lanes keep in registers.
inline constexpr Index most_fused = 4 * LaneGroup::most;

/// Sums each run's gradient and moves its row: most_fused columns, 2^few_levels lanes at most, all in whole quads.
void move_runs(const Device& exec, const MovingShards& of, const RunArrays& runs, const float* gradients,
               const float* pieces);

/// Rows move by gradients [rows, dim], as they are.
void move_rows(const Device& exec, const MovingShards& of, const RowList& rows, const float* gradients);

/// A round of sums over columns.
struct ColumnRound {
  int round;
  const float* totals;  ///< [rows, before]
  Index before;         ///< sums a row of the round before
  float* sums;          ///< [rows, size]
  Index size;           ///< sums a row of this round, by subtrees
};
/// The same in rounds, where others hold other columns of the rows (optim::sum_columns, optim::move_columns).
void sum_columns(const Device& exec, const MovingShards& of, const RowList& rows, const float* gradients,
                 const ColumnRound& round);
void move_columns(const Device& exec, const MovingShards& of, const RowList& rows, const float* gradients,
                  const float* totals, Index before);

}  // namespace tesserec::embedding
