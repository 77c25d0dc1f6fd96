// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/planning/cost_model.hpp>

namespace tesserec::planning {

/// A plan, its cost, and a bound that no plan goes below.
struct ProvenPlan {
  ShardingPlan plan;
  PlanEstimate estimate;
  double lower_bound = 0;  ///< seconds; of all plans that fit within the constraints, uneven cuts included (README)
  bool exact = false;      ///< the search was exhaustive: nothing is better
  Index min_rows = 1;      ///< the bound is over plans that cut freely cut tables into shards of at least so many rows
  std::vector<std::string> reasons{};  ///< [table] for its type; empty for a given plan
  double gap() const { return lower_bound > 0 ? estimate.critical_path() / lower_bound - 1 : 0; }
};

/// Chooses for every table within its constraints: type, cuts, owners and exchange form, so that the slowest rank's
/// step is short and no rank lacks memory. A function of its input alone. Errors name the table.
class EmbeddingShardingPlanner {
 public:
  EmbeddingShardingPlanner(Topology topology, Settings settings, const optim::Settings& sparse,
                           const optim::Settings& dense, Index global_batch);

  const CostModel& model() const { return model_; }
  ProvenPlan plan(std::span<const embedding::EmbeddingBagConfig> tables) const;
  /// Reads and costs the plan of plan.file. Errors as read_given_plan's, and if the plan does not fit.
  ProvenPlan given_plan(std::span<const embedding::EmbeddingBagConfig> tables) const;
  /// Costs a given plan, which may break constraints and memory. The bound is over shards of any size.
  ProvenPlan evaluate(std::span<const embedding::EmbeddingBagConfig> tables, ShardingPlan plan) const;
  /// Rank 0 plans, or reads plan.file; all receive. Error when a rank's tables, constraints or machine differ.
  ProvenPlan collective_plan(const comm::Communicator& comm,
                             std::span<const embedding::EmbeddingBagConfig> tables) const;

 private:
  void check_names(std::span<const embedding::EmbeddingBagConfig> tables) const;

  Settings settings_;
  CostModel model_;
};

/// Error that names the first table whose plan is not the same on all ranks.
void require_same_plan(const comm::Communicator& comm, std::span<const embedding::EmbeddingBagConfig> tables,
                       const ShardingPlan& plan);

/// "pooled" or "rows".
const char* form_name(ExchangeForm form);

/// Writes where the planner knows the frequencies of rows from, and of how many tables.
std::string popularity_text(std::span<const embedding::EmbeddingBagConfig> tables, const Settings& settings);

/// Writes the plan as a table for people: table, rows, dim, type, kernel, exchange, ranks, shards.
std::string describe(std::span<const embedding::EmbeddingBagConfig> tables, const ShardingPlan& plan);
/// Adds bytes and seconds of the ranks, the proven gap, and the reason for each table's type.
std::string describe(std::span<const embedding::EmbeddingBagConfig> tables, const ProvenPlan& proven);

}  // namespace tesserec::planning
