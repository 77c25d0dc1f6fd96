// SPDX-License-Identifier: Apache-2.0
/// Launches that update rows of several shards of equal dim and optimizer type.
#pragma once

#include "run_sums.hpp"
#include <tesserec/optim/row_rules.hpp>

namespace tesserec::embedding {

/// Scalars of one shard's step.
struct DeviceStep {
  optim::StepScalars scalars;
  float bound;               // magnitude to which gradients are clipped
  std::uint32_t key0, key1;  // of the random numbers that round weights of 16 bits
};

/// Rows to update: the rows of runs, an explicit list of one shard, or, if `keys` is null, every row of the shard.
struct RowList {
  Index max_rows = 0;                   // bound of the number of rows
  const Index* count = nullptr;         // number of rows in device memory; null = `max_rows`
  const std::uint64_t* keys = nullptr;  // shard << row_bits | row; null = the item's index
  int row_bits = 63;
};
inline RowList rows_of(const RunArrays& runs) { return {runs.max_runs, runs.runs, runs.row, runs.row_bits}; }

/// Shards and their steps in the memory of kernels.
struct UpdatedShards {
  optim::Type type;
  const DeviceShard* shards;
  const DeviceStep* steps;
  Index dim, first_column, whole_dim;
  NumberType format;
};

/// Calls use(rule) with the rule of any type.
template <class Use>
void with_rule(optim::Type type, const Use& use) {
  optim::with_elementwise_rule(type, use);
  optim::with_row_rule(type, use);
}

/// Calls use(rule, format) with the rule of any type and Fp32Rows or NarrowRows.
template <class Use>
void with_rule_and_format(const UpdatedShards& updated, const Use& use) {
  with_updated_format(updated.format,
                      [&](auto format) { with_rule(updated.type, [&](auto rule) { use(rule, format); }); });
}

/// Most columns of a row whose gradient stays in registers.
inline constexpr Index max_fused = 4 * LaneGroup::max_width;

/// Sums the gradient of each run and updates its row. Needs at most max_fused columns and 2^fast_tree_levels lanes,
/// and whole quads.
void move_runs(const Device& exec, const UpdatedShards& updated, const RunArrays& runs, const float* gradients,
               const float* pieces);

/// Updates rows by gradients [rows, dim], which are applied without clipping.
void move_rows(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients);

/// Round of sums over columns.
struct ColumnRound {
  int round;
  const float* totals;  ///< [rows, before]
  Index before;         ///< sums per row of the preceding round
  float* sums;          ///< [rows, size]
  Index size;           ///< sums per row of this round, counted by subtrees
};
/// Computes a round of sums, or updates the columns after the last round, if other shards have the rows' other columns
/// (optim::sum_columns, optim::move_columns).
void sum_columns(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients,
                 const ColumnRound& round);
void move_columns(const Device& exec, const UpdatedShards& updated, const RowList& rows, const float* gradients,
                  const float* totals, Index before);

}  // namespace tesserec::embedding
