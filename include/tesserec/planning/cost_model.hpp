// SPDX-License-Identifier: Apache-2.0
/// Seconds and bytes that a plan takes of each rank in a step, as a sum over tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/planning/table_costs.hpp>

namespace tesserec::planning {

/// Bytes of a rank by what holds them.
struct RankBytes {
  double rows = 0;      ///< weights in tables
  double states = 0;    ///< of their optimizers
  double messages = 0;  ///< all else that tables take in a step
  // Beside the tables; 0 where the planner is not told.
  double dense = 0;    ///< network: parameters, states, gradients, activations
  double batches = 0;  ///< samples that are made or read ahead
  double program = 0;  ///< code, MPI, Kokkos, HDF5
  double sum() const { return rows + states + messages + dense + batches + program; }
};

/// Cost of a plan. Seconds of a rank: its shards, its samples, and the latency of the messages.
struct PlanEstimate {
  std::vector<double> seconds;        ///< [rank]
  std::vector<double> bytes;          ///< [rank]
  std::vector<RankBytes> holds;       ///< [rank] the same bytes, and those beside the tables
  std::vector<StepSeconds> split;     ///< [rank] the same seconds by the work that takes them
  std::vector<double> table_seconds;  ///< [table] summed over ranks
  std::vector<double> table_bytes;    ///< [table] summed over ranks, messages included
  double critical_path() const;
  /// Largest over mean.
  double imbalance() const;
};

class CostModel {
 public:
  CostModel(Topology topology, Settings settings, const optim::Settings& sparse, const optim::Settings& dense,
            Index global_batch);

  const Topology& topology() const { return topology_; }
  Index global_batch() const { return global_batch_; }
  /// Returns the deck's demands of the table, completed by plan.default, the fused kernel and pieces of 32 columns.
  ParameterConstraints constraints(const std::string& table) const;
  /// Error as check_kernel's.
  TableCosts costs(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const;
  const optim::Settings& optimizer(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const;
  /// Seconds of a step's messages, whatever their size.
  double latency() const;
  PlanEstimate evaluate(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan) const;
  /// Error that names the largest table and the missing bytes, when all ranks together have too few for the tables.
  void require_room(std::span<const embedding::EmbeddingBagConfig> tables) const;
  /// Error that names the table and rank, the missing bytes and what would help, when a rank has too few.
  void require_fits(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan) const;

 private:
  Topology topology_;
  Settings settings_;
  optim::Settings sparse_, dense_;
  Index global_batch_;
};

}  // namespace tesserec::planning
