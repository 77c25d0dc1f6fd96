// SPDX-License-Identifier: Apache-2.0
/// Plans as JSON (docs/formats.md).
#pragma once

#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {

/// The whole plan with its estimate and bound. `dense_seconds`: of a step outside the tables, 0 = not known.
std::string plan_json(std::span<const embedding::EmbeddingBagConfig> tables, const ProvenPlan& proven,
                      const Topology& topology, Index global_batch, double dense_seconds = 0);

/// Borders of a plan: those of ours (row blocks, multiples of 4 columns), or any, moved to the nearest of these.
enum class Borders { exact, nearest };

/// Parses a plan of ours, or of TorchRec's (docs/formats.md), whose borders always move to the nearest; messages call
/// it `name`. Errors name the table: other tables or ranks than the model's, shards that are no plan.
ShardingPlan parse_plan(const std::string& text, const std::string& name,
                        std::span<const embedding::EmbeddingBagConfig> tables, int ranks,
                        Borders borders = Borders::exact);

/// The same from a file.
ShardingPlan read_plan(const std::string& path, std::span<const embedding::EmbeddingBagConfig> tables, int ranks,
                       Borders borders = Borders::exact);

/// Ranks that a plan's file is for; of TorchRec's, that it names.
int plan_ranks(const std::string& path);

/// The plan in settings.file. Error, naming file, table and key: it breaks what plan.tables or plan.default demands.
ShardingPlan read_given_plan(const Settings& settings, std::span<const embedding::EmbeddingBagConfig> tables,
                             int ranks);

}  // namespace tesserec::planning
