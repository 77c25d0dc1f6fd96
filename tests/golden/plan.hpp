// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <vector>

#include <tesserec/planning/plan.hpp>

namespace golden {

/// Returns a plan with every table whole on rank 0.
inline tesserec::planning::ShardingPlan whole_tables(const std::vector<tesserec::embedding::EmbeddingBagConfig>& tables,
                                                     tesserec::embedding::ComputeKernel kernel) {
  tesserec::planning::ShardingPlan plan;
  for (const auto& table : tables)
    plan.push_back({tesserec::planning::ShardingType::table_wise,
                    kernel,
                    {},
                    tesserec::planning::cut(table, 1, 1, std::array{0})});
  return plan;
}

}  // namespace golden
