// SPDX-License-Identifier: Apache-2.0
/// Seconds and bytes that one table takes of the ranks in a step: the same on any rank, since all samples are alike.
#pragma once

#include <array>
#include <vector>

#include <tesserec/embedding/row_blocks.hpp>
#include <tesserec/planning/id_frequencies.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/planning/topology.hpp>

namespace tesserec::planning {

/// Seconds of a step by the work that takes them.
struct StepSeconds {
  double lookup = 0;    ///< sorting ids, reading rows, pooling
  double exchange = 0;  ///< bytes sent and received
  double update = 0;    ///< summing gradients, moving rows by the optimizer
  double latency = 0;   ///< messages, whatever their size
  double sum() const { return lookup + exchange + update + latency; }
  StepSeconds& operator+=(const StepSeconds& other);
  StepSeconds operator*(double times) const;
};

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

/// A Load whose seconds are split.
struct Cost {
  StepSeconds seconds;
  double bytes = 0;
  Load load() const { return {seconds.sum(), bytes}; }
  Cost& operator+=(const Cost& other);
  Cost operator*(double times) const { return {seconds * times, bytes * times}; }
};

/// A shard loads the rank that owns it, and each rank whose samples ask for it.
struct ShardLoad {
  Load owner;
  Load each;
};
struct ShardCost {
  Cost owner;
  Cost each;
  ShardLoad load() const { return {owner.load(), each.load()}; }
};

/// Names the numbers of a step's traffic that rows have. All but `filled` and `vectors` are sums over blocks.
enum PartOf {
  part_rows,
  part_ids,         ///< lookups
  part_asked,       ///< distinct rows that one rank's samples ask for
  part_moved,       ///< distinct rows of all samples
  part_reads,       ///< seconds of reads at random, an id
  part_reads_once,  ///< the same, a row that one rank asks for
  part_updates,     ///< seconds of updates at random, a moved row
  part_filled,      ///< chance that a pooled bag has an id in the piece
  part_vectors,     ///< sums of subtrees [32 bits] that a pooled bag gets from it
  part_sizes
};
using Part = std::array<double, part_sizes>;
Part operator-(const Part& a, const Part& b);
Part operator*(const Part& a, double times);

/// Ids and bags of a step.
struct TableTraffic {
  TableTraffic(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints, int ranks,
               Index global_batch);

  /// Returns the chance that a pooled bag has an id among so large a share of the lookups: concave.
  double filled(double share) const;

  IdFrequencies frequencies;
  bool even;  ///< rows have their share of everything, as far as is known
  double ranks, rows, bags, ids;
  double unpooled_ids;          ///< ids whose vectors are not pooled
  double pooled_bags, bag_ids;  ///< pooled bags, and ids in one of them; where rows are even, as if ids were uniform
};

/// Numbers that a row's weights, gradient and optimizer state have.
struct RowStorage {
  RowStorage(const optim::Settings& optimizer, bool dense);

  double bytes(double rows, double columns) const;

  bool dense;                     ///< ComputeKernel::dense: a gradient of every row
  double states, row_states = 0;  ///< per weight, per row
  int row_sums;                   ///< sums of a touched row that the owners of cut columns exchange
};

/// Seconds of a byte sent to all ranks alike, and the precision of vectors on their way.
struct Wire {
  explicit Wire(const Topology& topology);

  bool rounded() const { return forward < 1 || backward < 1; }

  double inside, between, all;  ///< seconds of a byte: to ranks of the node, to other nodes, to all
  double batches, buffers;      ///< in flight, and copies of a message in memory: what stays on its rank has none
  double add;                   ///< seconds of a byte added at the samples; a rank alone adds nothing
  double forward, backward;     ///< bytes of a number of a finished vector, and of its gradient, of the four
};

/// Costs of one table in a step.
class TableCosts {
 public:
  TableCosts(const embedding::EmbeddingBagConfig& table, const ParameterConstraints& constraints,
             const optim::Settings& optimizer, const Topology& topology, Index global_batch);

  /// Costs a shard of a plan. By two levels, the owner also bears this shard's share of what relays of its node do.
  ShardCost cost(const Shard& shard, const ParameterSharding& sharding) const;
  ShardLoad shard(const Shard& shard, const ParameterSharding& sharding) const { return cost(shard, sharding).load(); }
  ShardLoad shard(Range blocks, Range columns, ExchangeForm form) const;
  /// Costs a piece of so many columns: affine in the part, and in width.
  ShardLoad load(const Part& part, double width, ExchangeForm form) const {
    return piece(part, width, form, wire_.all).load();
  }
  /// Returns the part of the blocks before `block`, without `filled` and `vectors`.
  Part upto(Index block) const;
  Part part(Range blocks) const;
  const Part& whole() const { return whole_; }
  bool even() const { return traffic_.even; }
  double filled(double share) const { return traffic_.filled(share); }
  const embedding::RowBlocks& blocks() const { return blocks_; }
  double rows() const { return traffic_.rows; }
  Index dim() const { return Index(dim_); }
  /// Costs each rank when every rank holds the table.
  Cost copy_cost() const;
  Load data_parallel() const { return copy_cost().load(); }
  /// Bytes of weights and optimizer state of all rows.
  double whole_bytes() const { return storage_.bytes(traffic_.rows, dim_); }

 private:
  /// `wire`: seconds of a byte.
  ShardCost piece(const Part& part, double width, ExchangeForm form, double wire) const;
  ShardCost by_two_levels(const Shard& shard, const ParameterSharding& sharding) const;
  ShardCost flat(Range blocks, Range columns, ExchangeForm form) const;
  void add_up_blocks();
  double vectors(Range blocks) const;  ///< sums of subtrees that a bag gets from these blocks
  double update_seconds(const Part& part, double columns) const;

  embedding::RowBlocks blocks_;
  double dim_;
  TableTraffic traffic_;
  RowStorage storage_;
  Wire wire_;
  Topology topology_;
  Part whole_{};            ///< of all rows; vectors: finished ones may have fewer bits
  std::vector<Part> upto_;  ///< [block] the blocks before it; empty where rows are even
};

}  // namespace tesserec::planning
