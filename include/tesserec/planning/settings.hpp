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

/// table_wise: whole on one rank. row_wise: rows over ranks. column_wise: columns over ranks. table_row_wise: rows over
/// the ranks of one node. table_column_wise: columns over the ranks of one node. grid: columns over nodes, rows over
/// the ranks of each. data_parallel: a copy on every rank.
enum class ShardingType { table_wise, row_wise, column_wise, table_row_wise, table_column_wise, grid, data_parallel };
inline bool inside_nodes(ShardingType type) {
  return type == ShardingType::table_row_wise || type == ShardingType::table_column_wise || type == ShardingType::grid;
}
using embedding::ComputeKernel;

/// Types or kernels that a table may get, the preferred one first; empty = no demand.
template <class T>
struct Allowed {
  std::vector<T> list;

  Allowed() = default;
  Allowed(T one) : list{one} {}
  Allowed(std::initializer_list<T> some) : list(some) {}

  bool empty() const { return list.empty(); }
  explicit operator bool() const { return !empty(); }
  bool has(T one) const { return std::ranges::count(list, one) > 0; }
  bool allow(T one) const { return empty() || has(one); }
  /// One alone: a type is given its full form, no search.
  bool forced() const { return list.size() == 1; }
  T value_or(T other) const { return empty() ? other : list.front(); }
};
using ShardingTypes = Allowed<ShardingType>;    ///< empty = the planner chooses among all
using ComputeKernels = Allowed<ComputeKernel>;  ///< empty = as a given plan says, or fused

/// Rows of one block that are looked up alike.
struct BlockRows {
  Index block = 0;
  double rows = 0;
  double share = 0;  ///< of the table's lookups, of each row
};

/// The popular rows of a table and their blocks. Other rows share the other lookups by the law of `zipf`, scattered.
struct Popularity {
  std::vector<BlockRows> rows;
  std::string from;  ///< source, for people: "counted in 65536 samples of train.h5"
};

/// Demands of a deck on one table; TorchRec's ParameterConstraints.
struct ParameterConstraints {
  ShardingTypes sharding;
  ComputeKernels kernel;               ///< of several the planner chooses, where all give the same bits
  std::vector<int> ranks;              ///< owners, in the order of the shards; empty = the planner chooses
  std::optional<Index> min_partition;  ///< columns of a piece at least; unset = as a given plan has it, or 32
  double pooling_factor = 0;           ///< ids a bag, on average; 0 = as the data have, or 1 where that is not known
  std::optional<double> zipf;          ///< exponent of the ids' frequency; unset = as the data have, or 0: uniform
  std::shared_ptr<const Popularity> popular = {};  ///< null = not known
};

/// Bytes of a number of a finished vector, or of its gradient, on its way. Partial sums and single rows have 4.
struct ExchangeBytes {
  double forward = 4, backward = 4;
  bool rounded() const { return forward < 4 || backward < 4; }
};

/// [plan]
struct Settings {
  std::optional<ShardingType> default_type;  ///< unset = "auto"
  std::map<std::string, ParameterConstraints> tables;
  std::string file;         ///< a plan as JSON to use instead of a search, within the demands; empty = none
  std::string device;       ///< what ranks compute on, "cpu" or "cuda"; empty = what plan_device says
  std::string machine;      ///< a gpu_machine, or a TOML file of MachineCosts; empty = the device's defaults
  int ranks_per_node = 0;   ///< 0 = as the ranks share memory; else nodes are simulated
  int exchange_levels = 2;  ///< at most; 1: no ExchangeForm::two_levels
  Index min_rows = 1000;    ///< rows of a shard at least, where the planner cuts a table and little is lost by it
  ExchangeBytes exchange;   ///< of model.exchange_forward and exchange_backward
  Index memory = 0;         ///< bytes of a rank; 0 = this machine's, shared by the ranks of a node, or the named GPU's
  double reserve = 0.15;    ///< share of it that tables and messages leave to all else
  MachineCosts costs;
};

/// `device`, or that of the named machine, or what the program is built for.
std::string plan_device(const Settings& settings);

}  // namespace tesserec::planning
