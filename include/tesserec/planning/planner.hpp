// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// Plan with its cost and a lower bound of the cost of any plan.
struct ProvenPlan {
  ShardingPlan plan;
  PlanEstimate estimate;
  double lower_bound = 0;  ///< bound over all plans within constraints and memory, uneven cuts included (README) [s]
  bool exact = false;      ///< true if the search was exhaustive, so that no plan is better
  Index min_rows = 1;      ///< least rows of a shard of a freely cut table, in the plans that the bound covers
  std::vector<std::string> reasons{};  ///< [table] reason for its type; empty for a given or broadcast plan
  /// Best plan with one number of replica groups.
  struct Tried {
    int replicas = 1;
    PlanEstimate estimate{};
    std::string refused{};  ///< reason why there is no plan; empty = there is one
  };
  std::vector<Tried> tried{};  ///< plans of which this one is the fastest, if plan.replicas lists several numbers
  /// Returns (critical path / lower bound) - 1, or 0 without a bound.
  double gap() const { return lower_bound > 0 ? estimate.critical_path() / lower_bound - 1 : 0; }
};

/// Planner that chooses every table's type, cuts, owners and exchange form within its constraints. It minimizes the
/// step time of the slowest rank, within the memory of every rank. A plan is a function of the planner's input alone.
/// Errors name the table.
class EmbeddingShardingPlanner {
 public:
  EmbeddingShardingPlanner(Topology topology, Settings settings, const optim::Settings& sparse,
                           const optim::Settings& dense, Index global_batch);

  const CostModel& model() const { return model_; }
  /// Searches for a plan, the fastest over all numbers of replica groups in plan.replicas. Throws Error if no plan that
  /// was found fits into the memory, or if plan.tables names an unknown table.
  ProvenPlan plan(std::span<const embedding::EmbeddingBagConfig> tables) const;
  /// Reads and costs the plan of plan.file. Throws Error as read_given_plan does, and if the plan does not fit into the
  /// memory.
  ProvenPlan given_plan(std::span<const embedding::EmbeddingBagConfig> tables) const;
  /// Costs a given plan, which may violate constraints and memory limits. The bound covers shards of any size.
  ProvenPlan evaluate(std::span<const embedding::EmbeddingBagConfig> tables, ShardingPlan plan) const;
  /// Plans on rank 0, or reads plan.file there, and broadcasts the plan. Collective. Throws Error on every rank if a
  /// rank's tables, constraints or machine differ from those of rank 0.
  ProvenPlan collective_plan(const comm::Communicator& comm,
                             std::span<const embedding::EmbeddingBagConfig> tables) const;

 private:
  void check_names(std::span<const embedding::EmbeddingBagConfig> tables) const;
  ProvenPlan plan_groups(std::span<const embedding::EmbeddingBagConfig> tables, int replicas) const;

  Settings settings_;
  CostModel model_;
};

/// Throws Error, naming the first table, if the ranks' plans differ. Collective.
void require_same_plan(const comm::Communicator& comm, std::span<const embedding::EmbeddingBagConfig> tables,
                       const ShardingPlan& plan);

/// Returns the name of a form: "pooled", "rows" or "two_levels".
const char* form_name(ExchangeForm form);

/// Writes the sources of the planner's row frequencies, with the number of tables of each source.
std::string popularity_text(std::span<const embedding::EmbeddingBagConfig> tables, const Settings& settings);

/// Writes the plan as a table for people: table, rows, dim, type, kernel, exchange, ranks, shards.
std::string describe(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan);
/// Writes the plan as the same table, with the ranks' bytes and seconds, the proven gap, and the reason for each
/// table's type.
std::string describe(std::span<const embedding::EmbeddingBagConfig> tables, const ProvenPlan& proven);

}  // namespace tesserec::planning
