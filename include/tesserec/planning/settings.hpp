// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/planning/machine.hpp>

namespace tesserec::planning {

/// Sharding types. table_wise: whole on one rank. row_wise: rows over ranks. column_wise: columns over ranks.
/// table_row_wise: rows over the ranks of one node. table_column_wise: columns over the ranks of one node. grid:
/// columns over nodes, rows over the ranks of each node. data_parallel: a copy on every rank.
enum class ShardingType { table_wise, row_wise, column_wise, table_row_wise, table_column_wise, grid, data_parallel };
/// Returns whether a type cuts a table, or each slice of its columns, over the ranks of one node.
inline bool inside_nodes(ShardingType type) {
  return type == ShardingType::table_row_wise || type == ShardingType::table_column_wise || type == ShardingType::grid;
}
using embedding::ComputeKernel;

/// Sharding types or kernels allowed for a table, or numbers of replica groups, preferred one first. An empty list
/// allows all.
template <class T>
struct Allowed {
  std::vector<T> list;

  Allowed() = default;
  Allowed(T value) : list{value} {}
  Allowed(std::initializer_list<T> values) : list(values) {}

  bool empty() const { return list.empty(); }
  explicit operator bool() const { return !empty(); }
  bool has(T value) const { return std::ranges::count(list, value) > 0; }
  bool allow(T value) const { return empty() || has(value); }
  /// Returns whether exactly one value is allowed. The planner gives a table its only type in full form, without a
  /// search.
  bool forced() const { return list.size() == 1; }
  T value_or(T other) const { return empty() ? other : list.front(); }
};
using ShardingTypes = Allowed<ShardingType>;    ///< empty = the planner chooses among all
using ComputeKernels = Allowed<ComputeKernel>;  ///< empty = the given plan's kernel, or fused
using ReplicaCounts = Allowed<int>;             ///< empty = the given plan's number, or 1

/// Rows of one block with equal lookup frequency.
struct BlockRows {
  Index block = 0;
  double rows = 0;
  double share = 0;  ///< fraction of the table's lookups, per row
};

/// Popular rows of a table, with their blocks. The other rows lie scattered and share the other lookups by the law of
/// `zipf`.
struct Popularity {
  std::vector<BlockRows> rows;
  std::string from;  ///< source, for messages: "counted in 65536 samples of train.h5"
};

/// Constraints of a deck on one table, as TorchRec's ParameterConstraints.
struct ParameterConstraints {
  ShardingTypes sharding;
  ComputeKernels kernel;               ///< allowed kernels; the planner chooses if all give the same bits
  std::optional<double> cache;         ///< cache of kernel disk or host_cached; unset = Settings::cache
  std::vector<int> ranks;              ///< owners in shard order; empty = the planner chooses
  std::optional<Index> min_partition;  ///< least columns of a piece; unset = as in a given plan, or 32
  double pooling_factor = 0;           ///< mean ids per bag; 0 = as in the data, or 1 if that is unknown
  std::optional<double> zipf;          ///< exponent of Zipf's law for the ids; unset = as in the data, or 0 (uniform)
  std::shared_ptr<const Popularity> popular = {};  ///< popular rows; null = unknown
};

/// Bytes per number of a finished vector (forward) and of its gradient (backward) in a message. Numbers of partial sums
/// and single rows have 4 bytes.
struct ExchangeBytes {
  double forward = 4, backward = 4;
  bool rounded() const { return forward < 4 || backward < 4; }
};

/// Section [plan] of a deck.
struct Settings {
  std::optional<ShardingType> default_type;  ///< unset = "auto"
  std::map<std::string, ParameterConstraints> tables;
  ComputeKernels kernel;  ///< kernels of tables that name none; empty = fused
  double cache =
      0.1;  ///< cache of kernel disk or host_cached: share of a table's rows if below 1, else bytes for the table
  std::string disk_folder;  ///< folder of the files of kernel disk; empty = the run's folder
  ReplicaCounts replicas;   ///< numbers of replica groups, of which the planner takes the fastest
  std::string file;         ///< JSON plan to use instead of a search, within the constraints; empty = none
  std::string device;       ///< device of the ranks, "cpu" or "cuda"; empty = the result of plan_device
  std::string machine;      ///< name of a gpu_machine, or a TOML file of MachineCosts; empty = the device's defaults
  int ranks_per_node = 0;   ///< ranks of a simulated node; 0 = nodes are the ranks that share memory
  int exchange_levels = 2;  ///< most levels of an exchange; 1 = no ExchangeForm::two_levels
  Index min_rows = 1000;    ///< least rows of a shard in a free cut, lowered if the step gains over 5 %
  ExchangeBytes exchange;   ///< bytes per number by model.exchange_forward and exchange_backward
  Index memory = 0;         ///< bytes per rank; 0 = this machine's, shared by the ranks of a node, or the named GPU's
  double reserve = 0.15;    ///< fraction of `memory` that tables and messages leave free
  MachineCosts costs;
};

/// Returns `device` if it is set. Otherwise returns "cuda" if the named machine or this build has GPUs, else "cpu".
std::string plan_device(const Settings& settings);

}  // namespace tesserec::planning
