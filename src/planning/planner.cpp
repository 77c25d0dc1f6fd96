// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "problem.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

ShardingPlan plan_of(std::span<const EmbeddingBagConfig> tables, const Problem& problem,
                     const std::vector<Choice>& choices) {
  ShardingPlan plan(tables.size());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const Option& option = problem.options[t][choices[t].option];
    plan[t].type = option.type;
    plan[t].kernel = option.kernel;
    plan[t].form = option.form;
    for (Index c = 0; c < option.column_cuts && !option.borders.empty(); ++c)
      for (std::size_t i = 0; i + 1 < option.borders.size(); ++i)
        plan[t].shards.push_back({choices[t].owners[plan[t].shards.size()],
                                  {option.borders[i], option.borders[i + 1]},
                                  problem.free[t]->columns(c, option.column_cuts)});
    if (!option.pieces.empty() && option.borders.empty())
      plan[t].shards = cut(tables[t], option.row_cuts, option.column_cuts, choices[t].owners);
  }
  return plan;
}

}  // namespace

EmbeddingShardingPlanner::EmbeddingShardingPlanner(Topology topology, Settings settings, const optim::Settings& sparse,
                                                   const optim::Settings& dense, Index global_batch)
    : settings_(settings), model_(std::move(topology), std::move(settings), sparse, dense, global_batch) {}

void EmbeddingShardingPlanner::check_names(std::span<const EmbeddingBagConfig> tables) const {
  std::set<std::string> names;
  for (const EmbeddingBagConfig& table : tables) names.insert(table.name);
  for (const auto& [name, demand] : settings_.tables)
    if (names.count(name) == 0)
      fail("plan.tables.", name, ": there is no table \"", name, "\"; there are ", join(names));
}

ProvenPlan EmbeddingShardingPlanner::plan(std::span<const EmbeddingBagConfig> tables) const {
  check_names(tables);
  ProvenPlan proven;
  if (tables.empty()) return evaluate(tables, {});
  model_.require_room(tables);
  Problem problem = make_problem(tables, model_);
  const double bound = lower_bound(problem, 0, 0);
  const bool whole =
      std::none_of(problem.free.begin(), problem.free.end(), [](const auto& table) { return table.has_value(); });
  std::vector<Choice> choices = search(problem, bound);
  Outcome found = outcome(problem, choices);
  if (found.missing <= 0 && found.worst > bound * (1 + 1e-9))
    proven.exact = branch_and_bound(problem, choices, found.worst) && whole;
  proven.lower_bound = bound;
  if (found.missing <= 0 && !proven.exact && found.worst > bound * (1 + proven_enough)) {
    std::vector<Prices> prices;
    proven.lower_bound = lower_bound(problem, bound, found.worst, &prices);
    if (!prices.empty() && found.worst > proven.lower_bound * (1 + close_enough)) {
      search_by_prices(problem, proven.lower_bound, prices, choices);
      found = outcome(problem, choices);
    }
  }
  proven.plan = plan_of(tables, problem, choices);
  if (found.missing > 0) model_.require_fits(tables, proven.plan);
  check_plan(tables, proven.plan, model_.topology().ranks);
  proven.estimate = model_.evaluate(tables, proven.plan);
  const double seconds = proven.estimate.critical_path();
  proven.lower_bound = proven.exact ? seconds : std::min(seconds, proven.lower_bound);
  if (found.worst <= proven.lower_bound * (1 + 1e-9)) proven.exact = true;
  return proven;
}

ProvenPlan EmbeddingShardingPlanner::given_plan(std::span<const EmbeddingBagConfig> tables) const {
  check_names(tables);
  ShardingPlan plan = read_given_plan(settings_, tables, model_.topology().ranks);
  model_.require_fits(tables, plan);
  return evaluate(tables, std::move(plan));
}

ProvenPlan EmbeddingShardingPlanner::evaluate(std::span<const EmbeddingBagConfig> tables, ShardingPlan plan) const {
  ProvenPlan proven;
  proven.estimate = model_.evaluate(tables, plan);
  if (!tables.empty())
    proven.lower_bound = lower_bound(make_problem(tables, model_), 0, proven.estimate.critical_path());
  proven.plan = std::move(plan);
  return proven;
}

}  // namespace tesserec::planning
