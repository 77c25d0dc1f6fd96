// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/embedding/settings.hpp>

namespace tesserec::sharding {

enum class ShardingType { table_wise, row_wise, data_parallel };
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
