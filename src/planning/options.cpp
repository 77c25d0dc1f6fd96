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

/// Largest product of tables and ranks of a problem that is not large.
constexpr Index large = 300;
constexpr std::size_t few_tables = 8;
constexpr Index finest = 128;  // least number of borders to search, if a table has as many blocks

/// Drops options that another option equals or beats in every respect.
std::deque<Option> undominated(const std::vector<Option>& options) {
  std::vector<std::vector<Load>> pieces;
  for (const Option& option : options)
    std::ranges::sort(pieces.emplace_back(option.pieces), std::ranges::greater{}, &Load::seconds);
  // Returns whether each piece of b can replace a piece of a without more load on any rank.
  const auto no_worse = [&](std::size_t b, std::size_t a) {
    if (pieces[b].size() > pieces[a].size()) return false;
    if (options[b].common.seconds > options[a].common.seconds || options[b].common.bytes > options[a].common.bytes)
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
  const bool mixed = demand.kernel.has(ComputeKernel::dense) && !demand.kernel.forced();
  if (mixed && !kernels_agree(optimizer(ComputeKernel::fused), optimizer(ComputeKernel::dense)))
    fail("plan.tables.", table.name,
         ".kernel has several kernels, but they would train different weights. Name one kernel, or set table.",
         table.name, ".optimizer to sgd, or to adagrad with eps > 0, without weight_decay");
}

/// Options of a table, by all of its kernels, that fit into the memory of a rank.
struct FittingOptions {
  std::vector<Option> options;
  double least = infinity;  ///< bytes of the fullest rank, least over all options, fitting or not
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
      const double bytes = option.max_bytes + option.common.bytes;
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

FreeTable::FreeTable(std::vector<std::pair<ComputeKernel, TableCosts>> costs, Index max_columns, Index min_rows,
                     ShardingType in_one_piece)
    : costs_(std::move(costs)),
      in_one_piece_(in_one_piece),
      rows_(std::make_shared<const RowShares>(costs_.front().second, min_rows)) {
  while (step_ > 1 && step_ * finest > rows_->used) step_ /= 2;
  for (std::size_t kernel = 0; kernel < costs_.size(); ++kernel) {
    const TableCosts& kernel_costs = costs_[kernel].second;
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
      for (Index columns = 1; columns <= max_columns; ++columns) {
        const double width = double(kernel_costs.dim()) / double(columns);
        Index widest = 0;
        for (Index c = 0; c < columns; ++c) widest = std::max(widest, this->columns(c, columns).size());
        cuts_.push_back({kernel, form, columns, kernel_costs.load(kernel_costs.whole(), width, form),
                         RowPartitions(*rows_, kernel_costs, width, double(widest), form)});
      }
  }
}

Option FreeTable::option(const Cut& cut, std::vector<Index> borders, int ranks) const {
  const bool rows = borders.size() > 2, columns = cut.columns > 1;
  Option option;
  if (rows)
    option.type = columns ? ShardingType::grid : ShardingType::row_wise;
  else
    option.type = columns ? ShardingType::column_wise : in_one_piece_;
  option.kernel = kernel(cut);
  option.form = cut.form;
  option.column_cuts = cut.columns;
  option.borders = std::move(borders);
  for (Index c = 0; c < cut.columns; ++c)
    for (std::size_t i = 0; i + 1 < option.borders.size(); ++i) {
      const Range blocks{option.borders[i], option.borders[i + 1]};
      const ShardLoad load = costs(cut).shard(blocks, this->columns(c, cut.columns), cut.form);
      option.pieces.push_back(load.owner);
      option.common += load.common;
    }
  derive(option, ranks);
  return option;
}

Range FreeTable::columns(Index piece, Index pieces) const {
  const Index dim = costs_.front().second.dim(), quads = (dim + 3) / 4;
  return {std::min(dim, piece * quads / pieces * 4), std::min(dim, (piece + 1) * quads / pieces * 4)};
}

void derive(Option& option, int ranks) {
  option.total = option.total_bytes = option.max_seconds = option.max_bytes = 0;
  for (const Load& piece : option.pieces) {
    option.total += piece.seconds;
    option.total_bytes += piece.bytes;
    option.max_seconds = std::max(option.max_seconds, piece.seconds);
    option.max_bytes = std::max(option.max_bytes, piece.bytes);
  }
  option.total += ranks * option.common.seconds;
  option.total_bytes += ranks * option.common.bytes;
}

Problem make_problem(std::span<const EmbeddingBagConfig> tables, const CostModel& model, Index min_rows) {
  Problem problem;
  problem.ranks = model.group().ranks;
  problem.ranks_per_node = model.group().ranks_per_node;
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
      fail("table ", table.name, " does not fit: a rank needs ", exact_bytes_text(fitting.least), ", but has ",
           exact_bytes_text(problem.memory), " (plan.memory = ", model.topology().memory, " bytes",
           model.topology().reductions_text(), "); ", exact_bytes_text(fitting.least - problem.memory),
           " are missing. ",
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
