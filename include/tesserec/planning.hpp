// SPDX-License-Identifier: Apache-2.0
#pragma once

/// planning: a planner that deals shards of embedding tables to ranks, with its cost model and its files.
/// A plan gives each table its sharding type, kernel, exchange form and shards. The planner's input is a Topology, the
/// constraints of Settings, the optimizers and the global batch size. The function topology_of() finds this job's
/// machine, and topology_for() describes any other. Then EmbeddingShardingPlanner::plan() minimizes the step time of
/// the slowest rank within each rank's memory; evaluate() costs a given plan. Both return a ProvenPlan with a lower
/// bound. The functions describe() and plan_text() write a plan for people; plan_json() returns the text of a file
/// that read_plan() reads. Only topology_of(), collective_plan() and require_same_plan() are collective. The call
/// collective_plan() plans on rank 0 and broadcasts. A planner copies its arguments, and a plan depends on these alone.
/// Errors name the table that is too large for the memory or against its constraints. The pages
/// docs/design/planner.md and src/planning/README.md say more.
///
/// ```cpp
/// const std::vector<embedding::EmbeddingBagConfig> tables{
///     embedding::table_config("movies", /*rows=*/40'000'000, /*dim=*/64, {"watched"}),
///     embedding::table_config("users", /*rows=*/9'000, /*dim=*/64, {"user"})};
/// planning::Settings settings;
/// settings.memory = Index{16} << 30;              // bytes per rank
/// settings.tables["movies"].pooling_factor = 20;  // mean ids per bag
/// settings.tables["users"].sharding = planning::ShardingType::data_parallel;
/// const planning::Topology machine = planning::topology_for(/*ranks=*/8, /*ranks_per_node=*/4, settings);
/// const optim::Settings sparse{.type = optim::Type::rowwise_adagrad}, dense{.type = optim::Type::adam};
/// const planning::EmbeddingShardingPlanner planner(machine, settings, sparse, dense, /*global_batch=*/16384);
/// const planning::ProvenPlan proven = planner.plan(tables);
/// const std::string text = planning::describe(tables, proven);  // tables, ranks, seconds, gap, reasons
/// ```

#include <tesserec/planning/cost_model.hpp>
#include <tesserec/planning/disk_rows.hpp>
#include <tesserec/planning/id_frequencies.hpp>
#include <tesserec/planning/machine.hpp>
#include <tesserec/planning/plan.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/planning/plan_text.hpp>
#include <tesserec/planning/planner.hpp>
#include <tesserec/planning/settings.hpp>
#include <tesserec/planning/table_costs.hpp>
#include <tesserec/planning/topology.hpp>
