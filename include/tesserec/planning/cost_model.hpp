// SPDX-License-Identifier: Apache-2.0
/// Cost model of a plan: the seconds and bytes of each rank in a step, as sums over tables.
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/planning/table_costs.hpp>

namespace tesserec::planning {

/// Memory and disk space of a rank [bytes], split by use.
struct RankBytes {
  double rows = 0;      ///< weights of tables; of kernel disk and host_cached, those in the cache
  double states = 0;    ///< optimizer states of tables
  double messages = 0;  ///< all other bytes of tables in a step: messages, scratch space, dense gradients
  // Memory outside the tables; 0 if the planner does not know it.
  double dense = 0;       ///< parameters, states, gradients and activations of the network
  double batches = 0;     ///< samples that are generated or read ahead
  double checkpoint = 0;  ///< parts of a checkpoint on their way to the disk
  double program = 0;     ///< code, MPI, Kokkos, HDF5
  double disk = 0;        ///< files of rows of kernel disk, which are not memory
  double host = 0;        ///< host memory for rows of kernel host_cached, beside the GPU's memory
  double sum() const { return rows + states + messages + dense + batches + checkpoint + program; }
};

/// Cost of a plan. The seconds of a rank add up its shards, its samples, and the latency of its messages.
struct PlanEstimate {
  std::vector<double> seconds;        ///< [rank]
  std::vector<double> bytes;          ///< [rank]
  std::vector<RankBytes> holds;       ///< [rank] `bytes` by use, and memory outside the tables
  std::vector<StepSeconds> split;     ///< [rank] `seconds` by kind of work
  std::vector<double> table_seconds;  ///< [table] sum over ranks
  std::vector<double> table_bytes;    ///< [table] sum over ranks, messages included
  /// Returns the seconds of the slowest rank.
  double critical_path() const;
  /// Returns the seconds of the slowest rank divided by the mean of all ranks; 1 without any seconds.
  double imbalance() const;
};

/// Model of the seconds and bytes that plans take on one machine at one global batch size.
class CostModel {
 public:
  /// Takes the machine, the [plan] section, the sparse and the dense optimizer, and the global batch size [samples].
  CostModel(Topology topology, Settings settings, const optim::Settings& sparse, const optim::Settings& dense,
            Index global_batch);

  /// Returns the same model with the ranks in replica groups. Throws Error if they do not divide into these.
  CostModel in_groups(int replicas) const;

  const Topology& topology() const { return topology_; }
  /// Returns one replica group, whose ranks hold the shards.
  const Topology& group() const { return group_; }
  Index global_batch() const { return global_batch_; }
  /// Returns the deck's constraints on a table. Constraints that it leaves open default to plan.default, the fused
  /// kernel, and pieces of at least 32 columns.
  ParameterConstraints constraints(const std::string& table) const;
  /// Returns the cost model of one table. Throws Error as check_kernel does.
  TableCosts costs(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const;
  const optim::Settings& optimizer(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const;
  /// Returns the latency of a step's messages [seconds], which does not depend on their sizes.
  double latency() const;
  /// Estimates the cost of a plan, which may violate constraints and memory limits.
  PlanEstimate evaluate(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan) const;
  /// Throws Error if the tables need more memory than all ranks have together. The message names the largest table and
  /// the missing bytes.
  void require_memory(std::span<const embedding::EmbeddingBagConfig> tables) const;
  /// Throws Error if a rank has too little memory for the plan. The message names the rank, its largest table, the
  /// missing bytes, and what would help.
  void require_fits(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan) const;
  /// Throws Error if a rank has too little host memory for the rows of kernel host_cached.
  void require_host_memory(const PlanEstimate& estimate) const;

 private:
  Topology topology_, group_;
  Settings settings_;
  optim::Settings sparse_, dense_;
  Index global_batch_;
};

}  // namespace tesserec::planning
