// SPDX-License-Identifier: Apache-2.0
/// What a step costs each rank, in seconds and bytes, as a sum over tables. Frequent rows lie scattered, and ids come
/// from samples of all ranks alike, so that a shard costs the same on any rank.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include <tesserec/planning/id_frequencies.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::planning {

struct Load {
  double seconds = 0;
  double bytes = 0;
  Load& operator+=(const Load& other) {
    seconds += other.seconds;
    bytes += other.bytes;
    return *this;
  }
  Load& operator-=(const Load& other) {
    seconds -= other.seconds;
    bytes -= other.bytes;
    return *this;
  }
};

/// A shard loads the rank that owns it, and each rank whose samples ask for it.
struct ShardLoad {
  Load owner;
  Load each;
};

/// What one table does in a step.
class TableCosts {
 public:
  TableCosts(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
             const optim::Settings& optimizer, const Topology& topology, Index global_batch);

  ShardLoad shard(Range blocks, Range columns, ExchangeForm form) const;
  /// Of a plan: by two levels where its table goes so, with this shard's part of what ranks of its node relay, which is
  /// put on the owner.
  ShardLoad shard(const Shard& shard, const ParameterSharding& sharding) const;
  /// Of so many rows and columns, when a bag has an id in them `filled` of the time and gets `vectors` sums of 32 bits
  /// back on average. Affine in rows, filled and vectors, and in width.
  ShardLoad load(double rows, double filled, double vectors, double width, ExchangeForm form) const;
  /// Chance that a pooled bag has an id in that share of the rows: concave.
  double filled(double share) const;
  /// Of 32 bits, that a bag gets from the shard with all rows: finished ones may have fewer.
  double whole_vectors() const { return filled(1) * forward_; }
  const embedding::RowBlocks& blocks() const { return blocks_; }
  double rows() const { return table_rows_; }
  Index dim() const { return Index(dim_); }
  /// Of each rank, when every rank holds the table.
  Load data_parallel() const;
  /// Weights and optimizer state of all rows.
  double whole_bytes() const { return weight_bytes(table_rows_, dim_); }

 private:
  ShardLoad load(double rows, double filled, double vectors, double width, ExchangeForm form, double wire) const;
  double rows(Range blocks) const;
  double vectors(Range blocks) const;  ///< sums of subtrees that a bag gets from these blocks
  bool rounded() const { return forward_ < 1 || backward_ < 1; }
  double update_seconds(double all_rows, double touched_rows, double columns) const;
  double weight_bytes(double rows, double columns) const;

  embedding::RowBlocks blocks_;
  IdFrequencies frequencies_;
  double table_rows_, dim_, ranks_, bags_, ids_;
  double touched_, rank_touched_;  // distinct rows of all ids, and of those of a rank's samples
  double unpooled_ids_;            // of them
  double pooled_bags_, bag_ids_;   // and ids in one of these, as uniform ones
  int exchange_levels_, ranks_per_node_;
  double forward_, backward_;  // bytes of a number of a finished vector, of its gradient, of the four
  double inside_wire_, between_wire_,
      wire_;  // seconds of a byte to all ranks alike: of a node, of other nodes, of both
  bool dense_;
  int row_sums_;  // of a touched row, which the owners of cut columns exchange
  double states_ = 0, row_states_ = 0;
  struct {
    double read = 0, read_once = 0, update = 0;  // of ids, of a rank's distinct rows, of all distinct rows
  } row_seconds_;                                // at random
  MachineCosts machine_;
};

/// What a plan costs. Seconds of a rank: its shards, its samples, and the latency of the messages.
struct PlanEstimate {
  std::vector<double> seconds;        ///< [rank]
  std::vector<double> bytes;          ///< [rank]
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
  /// What the planner keeps to: what the deck demands of the table, and plan.default, the fused kernel and pieces of 32
  /// columns where it says nothing.
  ParameterConstraints constraints(const std::string& table) const;
  /// Error as check_kernel's.
  TableCosts costs(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const;
  const optim::Settings& optimizer(const embedding::EmbeddingBagConfig& table, ComputeKernel kernel) const;
  /// Seconds of a step's messages whatever they hold.
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
