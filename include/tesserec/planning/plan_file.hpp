// SPDX-License-Identifier: Apache-2.0
/// Plans as JSON (docs/formats.md).
#pragma once

#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {

/// Writes the whole plan as JSON, with its estimate and bound. `dense_seconds` [s] is the time of a step outside the
/// tables, or 0 if unknown.
std::string plan_json(std::span<const embedding::EmbeddingBagConfig> tables, const ProvenPlan& proven,
                      const Topology& topology, Index global_batch, double dense_seconds = 0);

/// Rule for a plan's shard borders. `exact` demands row blocks and multiples of 4 columns. `nearest` moves every border
/// to the nearest of these.
enum class Borders { exact, nearest };

/// Parses a plan in our format or TorchRec's (docs/formats.md). The borders of a TorchRec plan always move to the
/// nearest allowed ones. Messages call the plan `name`. Throws Error, naming the table, if tables or ranks are not the
/// model's, or if the shards are no valid plan.
ShardingPlan parse_plan(const std::string& text, const std::string& name,
                        std::span<const embedding::EmbeddingBagConfig> tables, int ranks,
                        Borders borders = Borders::exact);

/// Reads a file and parses its plan by parse_plan.
ShardingPlan read_plan(const std::string& path, std::span<const embedding::EmbeddingBagConfig> tables, int ranks,
                       Borders borders = Borders::exact);

/// Returns the number of ranks that a plan file is for; for a TorchRec plan, its highest rank + 1.
int plan_ranks(const std::string& path);

/// Reads the plan in settings.file. Throws Error, naming file, table and key, if the plan violates plan.tables or
/// plan.default.
ShardingPlan read_given_plan(const Settings& settings, std::span<const embedding::EmbeddingBagConfig> tables,
                             int ranks);

}  // namespace tesserec::planning
