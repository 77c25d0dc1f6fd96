// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::planning {

/// table_wise: whole on one rank. row_wise: rows over ranks. column_wise: columns over ranks. table_row_wise: rows over
/// the ranks of one node. table_column_wise: columns over the ranks of one node. grid: columns over nodes, rows over
/// the ranks of each. data_parallel: a copy on every rank.
enum class ShardingType { table_wise, row_wise, column_wise, table_row_wise, table_column_wise, grid, data_parallel };
inline bool inside_nodes(ShardingType type) {
  return type == ShardingType::table_row_wise || type == ShardingType::table_column_wise || type == ShardingType::grid;
}
using embedding::ComputeKernel;

/// The types that a table may get; empty = the planner chooses among all.
struct ShardingTypes {
  std::vector<ShardingType> list;

  ShardingTypes() = default;
  ShardingTypes(ShardingType one) : list{one} {}
  ShardingTypes(std::initializer_list<ShardingType> some) : list(some) {}

  bool empty() const { return list.empty(); }
  bool has(ShardingType type) const { return std::find(list.begin(), list.end(), type) != list.end(); }
  /// One type alone: it is given its full form, no search.
  bool forced() const { return list.size() == 1; }
};

/// What a deck demands of one table; TorchRec's ParameterConstraints.
struct ParameterConstraints {
  ShardingTypes sharding;
  std::optional<ComputeKernel> kernel;  ///< unset = as a given plan says, or fused
  std::vector<int> ranks;               ///< owners, in the order of the shards; empty = the planner chooses
  std::optional<Index> min_partition;   ///< columns of a piece at least; unset = as a given plan has it, or 32
  double pooling_factor = 0;            ///< ids a bag, on average; 0 = as the data have, or 1 where that is not known
};

/// What a rank does and moves a second. The defaults are those of a plain server core with MPI in shared memory inside
/// a node and 25 Gbit/s between nodes; `tesserec bench --save` measures them.
struct MachineCosts {
  double row_reads = 2e7;           ///< rows looked up at random, out of memory, 1/s
  double cached_row_reads = 6e7;    ///< the same where caches hold the table
  double read_bytes = 1e10;         ///< bytes of such rows added to a bag, 1/s
  double row_updates = 4e7;         ///< rows of an array, weights or state, moved at random by the optimizer, 1/s
  double cached_row_updates = 3e7;  ///< the same where caches hold the table
  double update_bytes = 6e9;        ///< bytes of weights and optimizer state moved, 1/s
  double cached_bytes = 1e6;        ///< bytes of a table that stay in caches from step to step
  double ids = 5e7;                 ///< ids sorted to owners or by row, 1/s
  double fetched_ids = 1.5e7;       ///< ids of rows that travel un-pooled, put in order and pooled at the samples, 1/s
  double bags = 1e9;                ///< bags of a shard cut out, pooled or sent, 1/s
  double add_bytes = 8e9;        ///< bytes of vectors added at the samples' rank, sending their gradients included, 1/s
  double inside_bytes = 4e9;     ///< bytes sent or received inside a node, 1/s
  double between_bytes = 1.5e9;  ///< bytes sent or received between nodes, 1/s
  double inside_latency = 2e-6;  ///< of a message inside a node, s
  double between_latency = 1e-5;    ///< of a message between nodes, s
  double dense_flops = 5e10;        ///< of the MLPs forward and backward, FLOP/s
  double bf16_flops = 8e10;         ///< the same with model.precision = "bf16"
  double interaction_flops = 1e10;  ///< of the interaction forward and backward, FLOP/s
  double dense_bytes = 4e9;         ///< bytes of dense gradients summed over lanes and moved by the optimizer, 1/s
  double step_seconds = 5e-5;       ///< of a step whatever it does, s
};

/// [plan]
struct Settings {
  std::optional<ShardingType> default_type;  ///< unset = "auto"
  std::map<std::string, ParameterConstraints> tables;
  std::string file;         ///< a plan as JSON to use instead of a search, within the demands; empty = none
  std::string machine;      ///< TOML file of MachineCosts; empty = none
  int ranks_per_node = 0;   ///< 0 = as the ranks share memory; else nodes are simulated
  int exchange_levels = 2;  ///< at most; 1: no ExchangeForm::two_levels
  Index memory = 0;         ///< bytes of a rank; 0 = this machine's, shared by the ranks of a node
  double reserve = 0.15;    ///< share of it that tables and messages leave to all else
  MachineCosts costs;
};

}  // namespace tesserec::planning
