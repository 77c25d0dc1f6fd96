// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "problem.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

/// Tables times ranks from which on a problem is large.
constexpr Index large = 300;
constexpr std::size_t few_tables = 8;

/// Drops options that another option equals or beats in every respect.
std::deque<Option> undominated(const std::vector<Option>& options) {
  std::vector<std::vector<Load>> pieces;
  for (const Option& option : options)
    std::ranges::sort(pieces.emplace_back(option.pieces), std::ranges::greater{}, &Load::seconds);
  // Returns whether each piece of b can replace a piece of a and load no rank more.
  const auto no_worse = [&](std::size_t b, std::size_t a) {
    if (pieces[b].size() > pieces[a].size()) return false;
    if (options[b].each.seconds > options[a].each.seconds || options[b].each.bytes > options[a].each.bytes)
      return false;
    for (std::size_t i = 0; i < pieces[b].size(); ++i)
      if (pieces[b][i].seconds > pieces[a][i].seconds || pieces[b][i].bytes > pieces[a][i].bytes) return false;
    return true;
  };
  std::deque<Option> kept;
  for (std::size_t i = 0; i < options.size(); ++i) {
    bool beaten = false;
    for (std::size_t k = 0; k < options.size() && !beaten; ++k)
      beaten = k != i && options[i].owner_rule == OwnerRule::anywhere && options[k].owner_rule == OwnerRule::anywhere &&
               no_worse(k, i) && (k < i || !no_worse(i, k));
    if (!beaten) kept.push_back(options[i]);
  }
  return kept;
}

void require_same_bits(const EmbeddingBagConfig& table, const ParameterConstraints& demand, const CostModel& model) {
  const auto optimizer = [&](ComputeKernel kernel) { return model.optimizer(table, kernel); };
  if (demand.kernel.list.size() > 1 && !kernels_agree(optimizer(ComputeKernel::fused), optimizer(ComputeKernel::dense)))
    fail("plan.tables.", table.name,
         ".kernel has several kernels, which would give other weights: both must move the table by one optimizer, sgd "
         "or adagrad (with eps above 0), without weight_decay. Name one kernel, or give table.",
         table.name, ".optimizer");
}

/// The options of a table that fit on ranks, by all of its kernels.
struct FittingOptions {
  std::vector<Option> options;
  double least = infinity;  ///< bytes of the fullest rank, at least, whether it has them or not
  std::string advice;
  Index free_columns = 1, min_rows = 1;
  std::vector<std::pair<ComputeKernel, TableCosts>> costs;
};

FittingOptions fitting_options(const EmbeddingBagConfig& table, const ParameterConstraints& demand,
                               const CostModel& model, const Problem& problem, const OptionShape& shape) {
  FittingOptions fitting;
  fitting.min_rows = shape.min_rows;
  for (const ComputeKernel kernel : demand.kernel.list) {
    TableOptions made = table_options(table, demand, kernel, model, shape);
    for (Option& option : made.options) {
      derive(option, problem.ranks);
      const double bytes = option.most_bytes + option.each.bytes;
      fitting.least = std::min(fitting.least, bytes);
      if (bytes <= problem.memory) fitting.options.push_back(std::move(option));
    }
    fitting.advice = made.advice;
    fitting.free_columns = made.free_columns;
    fitting.costs.emplace_back(kernel, model.costs(table, kernel));
  }
  return fitting;
}

}  // namespace

Problem make_problem(std::span<const EmbeddingBagConfig> tables, const CostModel& model, Index min_rows) {
  Problem problem;
  problem.ranks = model.topology().ranks;
  problem.ranks_per_node = model.topology().ranks_per_node;
  problem.memory = model.topology().usable_memory();
  problem.base = model.latency();
  problem.large = tables.size() > few_tables && std::ssize(tables) * problem.ranks > large;
  const bool few = std::ssize(tables) * problem.ranks <= 2500;
  for (const EmbeddingBagConfig& table : tables) {
    const ParameterConstraints demand = model.constraints(table.name);
    require_same_bits(table, demand, model);
    FittingOptions fitting = fitting_options(table, demand, model, problem, {min_rows, few});
    if (fitting.options.empty() && min_rows > 1) fitting = fitting_options(table, demand, model, problem, {1, few});
    if (fitting.options.empty())
      fail("table ", table.name, " does not fit: a rank needs ", exact_bytes_text(fitting.least), ", and plan.memory (",
           model.topology().memory, model.topology().lessened(), ") leaves it ", exact_bytes_text(problem.memory), "; ",
           exact_bytes_text(fitting.least - problem.memory), " are missing. ",
           batch_advice(fitting.least, fitting.costs.front().second.whole_bytes(), model.global_batch()),
           fitting.advice);
    const bool free = problem.ranks > 1 && demand.ranks.empty() && !demand.sharding.forced() &&
                      demand.sharding.allow(ShardingType::row_wise);
    problem.free.emplace_back();
    if (free)
      problem.free.back().emplace(
          std::move(fitting.costs), fitting.free_columns, fitting.min_rows,
          demand.sharding.allow(ShardingType::table_wise) ? ShardingType::table_wise : ShardingType::row_wise);
    problem.options.push_back(undominated(std::move(fitting.options)));
  }
  return problem;
}

}  // namespace tesserec::planning
