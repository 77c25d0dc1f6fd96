// SPDX-License-Identifier: Apache-2.0
/// Cost model of one table: seconds and bytes of the ranks in a step. The cost of a shard does not depend on its owner,
/// because all samples are alike.
#pragma once

#include <array>
#include <vector>

#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/planning/id_frequencies.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::planning {

/// Seconds of a step by kind of work.
struct StepSeconds {
  double lookup = 0;    ///< sorting ids, reading rows, pooling
  double exchange = 0;  ///< bytes sent and received
  double update = 0;    ///< summing gradients, updating rows
  double latency = 0;   ///< latency of messages, independent of their sizes
  double sum() const { return lookup + exchange + update + latency; }
  StepSeconds& operator+=(const StepSeconds& other);
  StepSeconds operator*(double times) const;
};

/// Seconds and bytes of a rank in a step.
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
  bool operator==(const Load&) const = default;
};

/// Load whose seconds are split by kind of work.
struct Cost {
  StepSeconds seconds;
  double bytes = 0;
  Load load() const { return {seconds.sum(), bytes}; }
  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const { return {seconds * times, bytes * times}; }
};

/// Load of a shard: on its owner, and on each rank, whose samples look it up.
struct ShardLoad {
  Load owner;
  Load common;
};
/// ShardLoad whose seconds are split by kind of work.
struct ShardCost {
  Cost owner;
  Cost common;
  ShardLoad load() const { return {owner.load(), common.load()}; }
};

/// Indices into Traffic. All numbers but traffic_filled and traffic_vectors are sums over row blocks.
enum TrafficOf {
  traffic_rows,
  traffic_ids,         ///< lookups
  distinct_per_rank,   ///< distinct rows that one rank's samples look up
  distinct_by_group,   ///< distinct rows that the samples of a replica group look up
  distinct_all,        ///< distinct rows that all samples look up
  traffic_reads,       ///< seconds of random reads, one per id
  traffic_reads_once,  ///< seconds of random reads, one per distinct row of one rank
  traffic_updates,     ///< seconds of random updates, one per distinct row
  traffic_misses,      ///< distinct rows that the cache of kernel disk or host_cached lacks
  traffic_filled,      ///< probability that a pooled bag has an id in the piece
  traffic_vectors,     ///< sums of subtrees that a pooled bag gets from the piece [vectors of 32-bit numbers]
  traffic_sizes
};
/// Traffic of some rows of a table in a step, indexed by TrafficOf.
using Traffic = std::array<double, traffic_sizes>;
Traffic operator-(const Traffic& a, const Traffic& b);
Traffic operator*(const Traffic& a, double times);

/// Ids and bags of one table in a step, in the samples of one replica group.
struct TableTraffic {
  TableTraffic(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints, int ranks,
               double samples);

  /// Returns the probability that a pooled bag has an id in rows with this share of the lookups, a concave function.
  double filled(double share) const;

  IdFrequencies frequencies;
  bool even;  ///< true if no popular rows are known: traffic is proportional to the number of rows
  double ranks, rows, bags, ids;
  double unpooled_ids;          ///< ids whose vectors are not pooled
  double pooled_bags, bag_ids;  ///< pooled bags, and ids per pooled bag; if `even`, the equivalent uniform ids
};

/// Storage of a row: its weights, gradient and optimizer states.
struct RowStorage {
  /// Takes a table's constraints, with a single kernel. `batch_ids`: its ids in a batch of all ranks.
  RowStorage(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
             const optim::Settings& optimizer, double batch_ids);

  /// Returns the bytes of a shard in memory.
  double bytes(double rows, double columns) const;
  /// Returns the bytes of a row of `columns` columns: weights, states and gradient.
  double row_bytes(double columns) const;
  /// Returns the seconds in which `misses` rows enter the cache, and as many leave.
  double miss_seconds(double misses, double columns, const MachineCosts& costs) const;
  /// Returns the bytes in the cache's memory of rows on their way: `distinct` rows of each of two batches that enter,
  /// as into a cold cache, and `misses` rows that leave.
  double travel_bytes(double distinct, double misses, double columns) const;

  double weight_bytes;            ///< bytes of a weight
  bool dense;                     ///< true for ComputeKernel::dense, which stores a gradient of every row
  double states, row_states = 0;  ///< state numbers per weight, and per row
  int row_sums;                   ///< sums of a touched row that the owners of cut columns exchange
  double resident = 1;            ///< share of the rows that are in the memory of kernels
  double index = 0, fixed = 0;    ///< further bytes of memory per row, and per shard
  double file = 0;                ///< bytes on the disk, per byte of rows
  double host = 0;                ///< bytes in host memory behind a device's cache, per byte of rows
  double host_index = 0;          ///< further bytes of host memory per row
  double copies = 0;              ///< bytes in the cache's memory per byte of a row that enters or leaves it
};

/// Seconds per byte that a rank sends evenly to all ranks, and the precision of vectors in messages.
struct Wire {
  explicit Wire(const Topology& topology);

  bool rounded() const { return forward < 1 || backward < 1; }

  double inside, between, all;  ///< seconds per byte: to ranks of the node, to other nodes, to all
  double batches, buffers;      ///< batches in flight, and message copies in memory; bytes for the own rank have none
  double add;                   ///< seconds per byte added at the samples' rank; 0 for one rank alone
  double forward, backward;     ///< bytes per number of a finished vector, and of its gradient, divided by 4
};

/// Cost model of one table in a step.
class TableCosts {
 public:
  TableCosts(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
             const optim::Settings& optimizer, const Topology& topology, Index global_batch);

  /// Costs a shard of a plan. By two levels, the owner also bears this shard's share of the work of its node's relays.
  ShardCost cost(const Shard& shard, const ParameterSharding& sharding) const;
  ShardLoad shard(const Shard& shard, const ParameterSharding& sharding) const { return cost(shard, sharding).load(); }
  ShardLoad shard(Range blocks, Range columns, ExchangeForm form) const;
  /// Costs a piece of `width` columns. The load is affine in `traffic` and in `width`.
  ShardLoad load(const Traffic& traffic, double width, ExchangeForm form) const {
    return piece(traffic, width, form, wire_.all).load();
  }
  /// Returns the traffic of the blocks before `block`; its traffic_filled and traffic_vectors are 0.
  Traffic upto(Index block) const;
  Traffic traffic(Range blocks) const;
  const Traffic& whole() const { return whole_; }
  bool even() const { return traffic_.even; }
  double filled(double share) const { return traffic_.filled(share); }
  const embedding::RowBlocks& blocks() const { return blocks_; }
  double rows() const { return traffic_.rows; }
  Index dim() const { return Index(dim_); }
  /// Returns the cost of each rank when every rank holds the table.
  Cost copy_cost() const;
  Load data_parallel() const { return copy_cost().load(); }
  /// Returns the bytes of weights and optimizer states of all rows, and of their gradients for the dense kernel.
  double whole_bytes() const { return storage_.bytes(traffic_.rows, dim_); }
  const RowStorage& storage() const { return storage_; }

 private:
  /// Costs a piece; `wire`: seconds per byte of its messages.
  ShardCost piece(const Traffic& traffic, double width, ExchangeForm form, double wire) const;
  ShardCost by_two_levels(const Shard& shard, const ParameterSharding& sharding) const;
  ShardCost flat(Range blocks, Range columns, ExchangeForm form) const;
  void add_up_blocks();
  double vectors(Range blocks) const;  ///< sums of subtrees that a pooled bag gets from these blocks
  double update_seconds(const Traffic& traffic, double columns) const;

  embedding::RowBlocks blocks_;
  double dim_;
  TableTraffic traffic_;
  RowStorage storage_;
  GroupedTopology machine_;
  Wire wire_;
  Traffic whole_{};            ///< traffic of all rows; traffic_vectors is lower if finished vectors have fewer bits
  std::vector<Traffic> upto_;  ///< [block] traffic of the blocks before it; empty if rows are even
};

}  // namespace tesserec::planning
