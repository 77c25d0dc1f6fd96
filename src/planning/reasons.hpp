// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// Returns for each table why the planner gave it its type, such as "does not fit one rank". `seconds`: of the slowest
/// rank.
std::vector<std::string> reasons(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan,
                                 const CostModel& model, double seconds);

}  // namespace tesserec::planning
