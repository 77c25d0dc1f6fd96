// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::sharding {

/// table_wise: whole on one rank. row_wise: rows over ranks. column_wise: columns over ranks. table_row_wise: rows over
/// the ranks of one node. table_column_wise: columns over the ranks of one node. grid: columns over nodes, rows over
/// the ranks of each. data_parallel: a copy on every rank.
enum class ShardingType { table_wise, row_wise, column_wise, table_row_wise, table_column_wise, grid, data_parallel };
using embedding::ComputeKernel;

/// What a deck demands of one table; TorchRec's ParameterConstraints.
struct ParameterConstraints {
  std::optional<ShardingType> sharding;  ///< unset = the planner chooses
  ComputeKernel kernel = ComputeKernel::fused;
  std::vector<int> ranks;  ///< owners: one for table_wise, several for row_wise; empty = the planner chooses
};

/// [plan]
struct Settings {
  std::optional<ShardingType> default_type;  ///< unset = "auto"
  std::map<std::string, ParameterConstraints> tables;
};

}  // namespace tesserec::sharding
