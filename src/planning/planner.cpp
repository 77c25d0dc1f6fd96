// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <set>

#include "problem.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/planning/disk_rows.hpp>
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/planning/planner.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

ShardingPlan plan_of(std::span<const EmbeddingBagConfig> tables, const Problem& problem,
                     const std::vector<Choice>& choices, int replicas) {
  ShardingPlan plan(tables.size());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const Option& option = problem.options[t][choices[t].option];
    plan[t].type = option.type;
    plan[t].kernel = option.kernel;
    plan[t].form = option.form;
    plan[t].replicas = replicas;
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

/// Throws Error if rows on disk are too long for their kernel.
void check_disk_rows(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan, const CostModel& model) {
  for (std::size_t t = 0; t < tables.size(); ++t)
    planning::check_disk_rows(tables[t], plan[t], model.optimizer(tables[t], plan[t].kernel));
}

/// Speed-up above which smaller shards are accepted. Predicted steps err by more than this. The estimate of a few rows
/// errs most, because a single unknown popular row may have a third of a table's ids.
constexpr double worth = 1.05;
/// Factor between the least shard rows that are tried.
constexpr Index step_down = 10;

struct Found {
  Problem problem;
  Index min_rows = 1;
  std::vector<Choice> choices;
  Score outcome;
  double bound = 0;
  bool exact = false;

  double seconds() const { return outcome.missing > 0 ? infinity : outcome.worst; }
};

/// Makes the problem and its bound.
Found bounded(std::span<const EmbeddingBagConfig> tables, const CostModel& model, Index min_rows) {
  Found found;
  found.problem = make_problem(tables, model, min_rows);
  found.min_rows = min_rows;
  found.bound = lower_bound(found.problem);
  return found;
}

/// Solves the problem, and returns it with the best choices found.
Found solved(Found found) {
  const bool none_free = std::ranges::none_of(found.problem.free, [](const auto& table) { return table.has_value(); });
  found.choices = search(found.problem, found.bound);
  found.outcome = score_of(found.problem, found.choices);
  if (found.outcome.missing <= 0 && found.outcome.worst > found.bound * (1 + 1e-9))
    found.exact = branch_and_bound(found.problem, found.choices, found.outcome.worst) && none_free;
  return found;
}

/// Finds the plan with the largest shards that is within `worth` of the fastest plan found.
Found find_whole(std::span<const EmbeddingBagConfig> tables, const CostModel& model, Index min_rows) {
  Found whole = solved(bounded(tables, model, min_rows));
  if (min_rows == 1) return whole;
  Found finest = bounded(tables, model, 1);
  // Bounds are compared, because they do not depend on the quality of a search.
  if (whole.seconds() < infinity && whole.bound <= worth * finest.bound) return whole;
  finest = solved(std::move(finest));
  const double enough = worth * std::min(whole.seconds(), finest.seconds());
  if (whole.seconds() <= enough) return whole;
  for (Index rows = min_rows / step_down; rows > 1; rows /= step_down)
    if (Found found = bounded(tables, model, rows); found.bound <= enough)
      if (found = solved(std::move(found)); found.seconds() <= enough) return found;
  return finest;
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
      fail("plan.tables.", name, ": there is no table \"", name, "\"; name one of ", join(names));
}

ProvenPlan EmbeddingShardingPlanner::plan(std::span<const EmbeddingBagConfig> tables) const {
  check_names(tables);
  if (tables.empty()) return evaluate(tables, {});
  const std::vector<int>& numbers = settings_.replicas.list;
  if (numbers.size() < 2) return plan_groups(tables, settings_.replicas.value_or(1));
  ProvenPlan best;
  std::vector<ProvenPlan::Tried> tried;
  double bound = infinity;
  for (const int replicas : numbers) {
    tried.push_back({.replicas = replicas});
    try {
      ProvenPlan proven = plan_groups(tables, replicas);
      tried.back().estimate = proven.estimate;
      bound = std::min(bound, proven.lower_bound);
      if (best.plan.empty() || proven.estimate.critical_path() < best.estimate.critical_path())
        best = std::move(proven);
    } catch (const Error& error) {
      tried.back().refused = error.what();
    }
  }
  if (best.plan.empty()) fail("plan.replicas: none of ", join(numbers), " has a plan; ", tried.front().refused);
  best.tried = std::move(tried);
  best.lower_bound = bound;
  best.exact = best.estimate.critical_path() <= bound * (1 + 1e-9);
  return best;
}

ProvenPlan EmbeddingShardingPlanner::plan_groups(std::span<const EmbeddingBagConfig> tables, int replicas) const {
  const CostModel model = model_.in_groups(replicas);
  model.require_memory(tables);
  const Found found = find_whole(tables, model, settings_.min_rows);
  ProvenPlan proven;
  proven.min_rows = found.min_rows;
  proven.plan = plan_of(tables, found.problem, found.choices, replicas);
  if (found.outcome.missing > 0) model.require_fits(tables, proven.plan);
  check_plan(tables, proven.plan, model.topology().ranks);
  check_disk_rows(tables, proven.plan, model);
  proven.estimate = model.evaluate(tables, proven.plan);
  model.require_host_memory(proven.estimate);
  const double seconds = proven.estimate.critical_path();
  proven.reasons = reasons(tables, proven.plan, model, seconds);
  proven.exact = found.exact || found.outcome.worst <= found.bound * (1 + 1e-9);
  proven.lower_bound = found.exact ? seconds : std::min(seconds, found.bound);
  return proven;
}

ProvenPlan EmbeddingShardingPlanner::given_plan(std::span<const EmbeddingBagConfig> tables) const {
  check_names(tables);
  ShardingPlan plan = read_given_plan(settings_, tables, model_.topology().ranks);
  const CostModel model = model_.in_groups(replicas(plan));
  check_disk_rows(tables, plan, model);
  model.require_fits(tables, plan);
  ProvenPlan proven = evaluate(tables, std::move(plan));
  model.require_host_memory(proven.estimate);
  return proven;
}

ProvenPlan EmbeddingShardingPlanner::evaluate(std::span<const EmbeddingBagConfig> tables, ShardingPlan plan) const {
  ProvenPlan proven;
  const CostModel model = model_.in_groups(replicas(plan));
  proven.estimate = model.evaluate(tables, plan);
  if (!tables.empty())
    proven.lower_bound = std::min(proven.estimate.critical_path(), lower_bound(make_problem(tables, model, 1)));
  proven.plan = std::move(plan);
  return proven;
}

}  // namespace tesserec::planning
