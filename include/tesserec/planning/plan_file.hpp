// SPDX-License-Identifier: Apache-2.0
/// Plans as JSON (docs/formats.md).
#pragma once

#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {

/// The whole plan with its estimate and bound. `dense_seconds`: of a step outside the tables, 0 = not known.
std::string plan_json(std::span<const embedding::EmbeddingBagConfig> tables, const ProvenPlan& proven,
                      const Topology& topology, Index global_batch, double dense_seconds = 0);

/// Whether a plan must be one of ours (borders on row blocks and multiples of 4 columns), or borders go to the nearest.
enum class Borders { exact, nearest };

/// The plan of such a text, or of one of TorchRec's (docs/formats.md), whose borders always go to the nearest; `name`
/// stands for it in messages. Errors name the table: another model's tables, another number of ranks, shards that are
/// no plan.
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
