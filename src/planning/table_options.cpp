// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <set>

#include "problem.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::planning {
namespace {

using embedding::EmbeddingBagConfig;

/// Lists the numbers of pieces to try: all, or 2 to 8, 2^k, 3 * 2^k and `limit`.
std::vector<Index> counts(Index limit, bool every) {
  std::vector<Index> list;
  for (Index n = 2; n <= limit; ++n) {
    Index odd = n;
    while (odd % 2 == 0) odd /= 2;
    if (every || n <= 8 || odd <= 3 || n == limit) list.push_back(n);
  }
  return list;
}

class Maker {
 public:
  Maker(const EmbeddingBagConfig& table, const ParameterConstraints& demand, ComputeKernel kernel,
        const CostModel& model, const OptionShape& shape)
      : table_(table),
        demand_(demand),
        kernel_(kernel),
        costs_(model.costs(table, kernel)),
        topology_(model.group()),
        all_ranks_(model.topology().ranks),
        min_rows_(may_stay_whole(demand) ? shape.min_rows : 0),
        few_(shape.few) {
    check();
    const ShardingTypes& types = demand_.sharding;
    if (!demand_.ranks.empty()) {
      const ShardingType flat = demand_.ranks.size() == 1 ? ShardingType::table_wise : ShardingType::row_wise;
      given(types.forced() ? types.list[0] : flat);
    } else if (types.forced()) {
      full(types.list[0]);
    } else {
      free();
    }
  }

  std::vector<Option> options;

  /// Returns the most column pieces of a cut that also cuts rows.
  Index free_columns() const {
    return demand_.sharding.empty() && table_.rows().size() >= min_rows_ ? max_columns() : 1;
  }

  /// Returns advice for a table that does not fit.
  std::string advice() const {
    const ShardingTypes& types = demand_.sharding;
    const bool given = !demand_.ranks.empty();
    if (types.empty() && !given) return "Use more ranks, or ranks with more memory";
    const std::string choose = "Let the planner choose (plan.tables." + table_.name + ".sharding = \"auto\"" +
                               (given ? " without ranks)" : ")");
    if (given) return types.has(ShardingType::table_wise) ? choose : choose + ", or name more ranks";
    const bool by_columns = types.has(ShardingType::column_wise) && topology_.ranks < max_columns();
    if (by_columns || types.has(ShardingType::row_wise)) return choose + ", or use more ranks";
    const bool by_nodes = types.has(ShardingType::table_row_wise) || types.has(ShardingType::grid);
    return by_nodes ? choose + ", or use more ranks per node" : choose;
  }

 private:
  Index max_columns() const {
    return std::clamp<Index>(table_.embedding_dim / *demand_.min_partition, 1, max_column_cuts(table_));
  }

  static bool may_stay_whole(const ParameterConstraints& demand) {
    const ShardingTypes& types = demand.sharding;
    return demand.ranks.empty() && !types.forced() &&
           (types.allow(ShardingType::table_wise) || types.has(ShardingType::row_wise));
  }

  bool shards_too_small(const std::vector<Shard>& shards) const {
    return shards.size() > 1 && std::any_of(shards.begin(), shards.end(), [&](const Shard& shard) {
             return costs_.blocks().rows(shard.blocks).size() < min_rows_;
           });
  }

  template <class... Text>
  [[noreturn]] void refuse(const Text&... message) const {
    fail("plan.tables.", table_.name, ": ", message...);
  }

  template <class... Text>
  [[noreturn]] void refuse_ranks(const Text&... message) const {
    fail("plan.tables.", table_.name, ".ranks: ", message...);
  }

  void check() const {
    const auto& ranks = demand_.ranks;
    for (const int rank : ranks)
      if (rank < 0 || rank >= topology_.ranks)
        refuse_ranks("rank ", rank, " does not exist; ", topology_.ranks < all_ranks_ ? "a replica group" : "this job",
                     " has ranks 0 to ", topology_.ranks - 1);
    if (std::set<int>(ranks.begin(), ranks.end()).size() != ranks.size())
      refuse_ranks("a rank stands there twice (", join(ranks), "); name each rank once");
    if (ranks.empty()) return;
    const ShardingTypes& types = demand_.sharding;
    if (types.list.size() > 1) refuse_ranks("sharding must name exactly one type beside it, not ", types.list.size());
    if (types.has(ShardingType::table_wise) && ranks.size() > 1)
      refuse_ranks("table_wise takes one rank, but ", ranks.size(), " are given; use row_wise or column_wise");
    if (types.has(ShardingType::data_parallel))
      refuse_ranks("data_parallel puts the table on every rank; remove ranks");
  }

  void add(ShardingType type, Index rows, Index columns, OwnerRule owner_rule, Index group = 1,
           const std::vector<int>& owners = {}) {
    std::vector<int> nobody(rows * columns);
    ParameterSharding sharding{type, kernel_, {}, cut(table_, rows, columns, nobody)};
    if (shards_too_small(sharding.shards)) return;
    for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows, ExchangeForm::two_levels}) {
      sharding.form = form;
      const bool levels = topology_.two_levels() && by_two_levels(sharding, topology_.ranks, topology_.ranks_per_node);
      if (form == ExchangeForm::two_levels && !levels) continue;
      Option option{.type = type, .kernel = kernel_, .form = form, .row_cuts = rows, .column_cuts = columns};
      option.owner_rule = owner_rule;
      option.group = group;
      option.owners = owners;
      for (const Shard& shard : sharding.shards) {
        const ShardLoad load = costs_.shard(shard, sharding);
        option.pieces.push_back(load.owner);
        option.common += load.common;
      }
      options.push_back(std::move(option));
    }
  }

  void add_data_parallel() {
    if (table_.grows())
      refuse(
          "the table grows, so it cannot be data_parallel: its copies would see other ids; allow other types, or set "
          "table.",
          table_.name, ".growing = false");
    options.push_back({.type = ShardingType::data_parallel, .kernel = kernel_, .common = costs_.data_parallel()});
  }

  /// Adds the options whose owners the deck sets.
  void given(ShardingType type) {
    const auto& ranks = demand_.ranks;
    const auto count = std::ssize(ranks);
    const int node = topology_.node(ranks[0]);
    const bool one_node = std::ranges::all_of(ranks, [&](int rank) { return topology_.node(rank) == node; });
    const bool columns = type == ShardingType::column_wise || type == ShardingType::table_column_wise;
    if ((type == ShardingType::table_row_wise || type == ShardingType::table_column_wise) && !one_node)
      refuse_ranks("they lie on several nodes, but ", name(type), " uses one node of ",
                   counted(topology_.ranks_per_node, "rank"), "; name ranks of one node");
    if (columns && count > max_column_cuts(table_))
      refuse_ranks(count, " ranks are given, but ", table_.embedding_dim, " columns make at most ",
                   max_column_cuts(table_), " pieces; name fewer ranks");
    Index rows = columns ? 1 : count;
    if (type == ShardingType::grid) {
      rows = topology_.ranks_per_node;
      if (count % rows != 0)
        refuse_ranks("grid takes all ", rows, " ranks of one or more nodes, but ", count,
                     " are given; name whole nodes");
      if (count / rows > max_column_cuts(table_))
        refuse_ranks(count / rows, " nodes are given, but ", table_.embedding_dim, " columns make at most ",
                     max_column_cuts(table_), " pieces; name fewer nodes");
      for (std::size_t i = 0; i < ranks.size(); ++i)
        if (topology_.node(ranks[i]) != topology_.node(ranks[i - i % rows]))
          refuse_ranks("ranks of different nodes alternate; for grid, name all ", rows,
                       " ranks of a node before the next node");
    }
    add(type, rows, count / rows, OwnerRule::fixed, 1, ranks);
  }

  /// Adds the one form of a type that TorchRec uses.
  void full(ShardingType type) {
    std::vector<int> ranks(topology_.ranks);
    std::iota(ranks.begin(), ranks.end(), 0);
    const Index inside = topology_.ranks_per_node;
    switch (type) {
      case ShardingType::table_wise:
        return add(type, 1, 1, OwnerRule::anywhere);
      case ShardingType::row_wise:
        return add(type, topology_.ranks, 1, OwnerRule::fixed, 1, ranks);
      case ShardingType::column_wise:
        return add(type, 1, std::min<Index>(topology_.ranks, max_columns()), OwnerRule::anywhere);
      case ShardingType::table_row_wise:
        return add(type, inside, 1, OwnerRule::node, inside);
      case ShardingType::table_column_wise: {
        const Index pieces = std::min(inside, max_columns());
        return add(type, 1, pieces, OwnerRule::node, pieces);
      }
      case ShardingType::grid:
        return add(type, inside, max_columns(), OwnerRule::node, inside);
      case ShardingType::data_parallel:
        return add_data_parallel();
    }
  }

  /// Adds all options of the allowed types. Types inside nodes must be named, unless the exchange has two levels.
  void free() {
    const ShardingTypes& types = demand_.sharding;
    const Index ranks = topology_.ranks;
    if (types.allow(ShardingType::table_wise))
      add(ShardingType::table_wise, 1, 1, OwnerRule::anywhere);
    else if (types.has(ShardingType::row_wise))
      add(ShardingType::row_wise, 1, 1, OwnerRule::anywhere);
    if (all_ranks_ > 1 || options.empty()) {
      if (types.allow(ShardingType::data_parallel) && all_ranks_ > 1 && !table_.grows()) add_data_parallel();
      if (types.allow(ShardingType::row_wise))
        for (const Index n : counts(ranks, few_)) add(ShardingType::row_wise, n, 1, OwnerRule::anywhere);
      if (types.allow(ShardingType::column_wise))
        for (const Index n : counts(std::min(ranks, max_columns()), true))
          add(ShardingType::column_wise, 1, n, OwnerRule::anywhere);
      for (const ShardingType type :
           {ShardingType::table_row_wise, ShardingType::table_column_wise, ShardingType::grid})
        if (types.has(type) || (types.empty() && topology_.two_levels())) full(type);
    }
    if (options.empty()) full(types.list[0]);
  }

  const EmbeddingBagConfig& table_;
  const ParameterConstraints& demand_;
  ComputeKernel kernel_;
  TableCosts costs_;
  const Topology& topology_;  // one replica group
  int all_ranks_;             // ranks of all groups
  Index min_rows_;            // 0 = shards may be without rows
  bool few_;
};

}  // namespace

TableOptions table_options(const EmbeddingBagConfig& table, const ParameterConstraints& demand, ComputeKernel kernel,
                           const CostModel& model, const OptionShape& shape) {
  Maker made(table, demand, kernel, model, shape);
  return {std::move(made.options), made.advice(), made.free_columns()};
}

}  // namespace tesserec::planning
