// SPDX-License-Identifier: Apache-2.0
// Plans for three tables, of which the first has 5 columns and the third 12.
#pragma once

#include <tesserec/planning/planner.hpp>

namespace law {

using namespace tesserec;
using embedding::EmbeddingBagConfig;
using planning::ShardingType;

/// Returns owners of n pieces: the ranks in turn from `first` on.
inline std::vector<int> owners(Index n, int ranks, int first = 0) {
  std::vector<int> result;
  for (Index i = 0; i < n; ++i) result.push_back(static_cast<int>((first + i) % ranks));
  return result;
}

inline planning::ParameterSharding sharded(const EmbeddingBagConfig& table, ShardingType type, Index row_cuts,
                                           Index column_cuts, int ranks, int first = 0) {
  column_cuts = std::min(column_cuts, planning::max_column_cuts(table));
  return {type, embedding::ComputeKernel::fused, planning::ExchangeForm::pooled,
          planning::cut(table, row_cuts, column_cuts, owners(row_cuts * column_cuts, ranks, first))};
}

/// Returns plans of every type for all tables, mixtures, and shards that no planner would make.
inline std::vector<planning::ShardingPlan> plans(const std::vector<EmbeddingBagConfig>& tables, int ranks) {
  std::vector<planning::ShardingPlan> all;
  const auto of_all = [&](ShardingType type, Index row_cuts, Index column_cuts) {
    planning::ShardingPlan plan;
    for (std::size_t t = 0; t < tables.size(); ++t)
      plan.push_back(sharded(tables[t], type, row_cuts, column_cuts, ranks, static_cast<int>(t)));
    all.push_back(plan);
  };
  of_all(ShardingType::table_wise, 1, 1);
  of_all(ShardingType::row_wise, ranks, 1);
  of_all(ShardingType::column_wise, 1, ranks);
  of_all(ShardingType::table_row_wise, (ranks + 1) / 2, 1);
  of_all(ShardingType::table_column_wise, 1, (ranks + 1) / 2);
  of_all(ShardingType::grid, (ranks + 1) / 2, 2);
  all.push_back(planning::ShardingPlan(
      tables.size(),
      {ShardingType::data_parallel, embedding::ComputeKernel::fused, planning::ExchangeForm::pooled, {}}));
  of_all(ShardingType::row_wise, 11, 1);  // several shards a rank
  of_all(ShardingType::column_wise, 1, 4);
  all.push_back({sharded(tables[0], ShardingType::row_wise, 3, 1, ranks, 2), all[6][1],
                 sharded(tables[2], ShardingType::column_wise, 1, 3, ranks)});
  const int last = ranks - 1;  // uneven, with a shard of no rows
  all.push_back({{ShardingType::grid,
                  embedding::ComputeKernel::fused,
                  planning::ExchangeForm::pooled,
                  {{last, {0, 1}, {0, 4}},
                   {0, {1, 777}, {0, 4}},
                   {last / 2, {777, 1024}, {0, 4}},
                   {0, {0, 1}, {4, 5}},
                   {last, {1, 777}, {4, 5}},
                   {last, {777, 1024}, {4, 5}}}},
                 {ShardingType::row_wise,
                  embedding::ComputeKernel::fused,
                  planning::ExchangeForm::pooled,
                  {{0, {0, 3}, {0, 16}}, {last, {3, 3}, {0, 16}}, {last, {3, 1024}, {0, 16}}}},
                 {ShardingType::column_wise,
                  embedding::ComputeKernel::fused,
                  planning::ExchangeForm::pooled,
                  {{last, {0, 1024}, {0, 8}}, {0, {0, 1024}, {8, 12}}}}});
  const std::size_t pooled = all.size();
  for (std::size_t i = 0; i < pooled; ++i) {  // the same with exchange form `rows` in all tables or in some
    planning::ShardingPlan plan = all[i];
    for (std::size_t t = 0; t < plan.size(); ++t)
      if (i % 3 == 0 || t % 2 == i % 2) plan[t].form = planning::ExchangeForm::rows;
    all.push_back(plan);
  }
  return all;
}

/// Returns plans for nodes of `inside` ranks: each type of two levels for all tables, and mixtures. The mixtures have
/// column shards of one node that are not adjacent, ranks in another order, several shards a rank, nodes without a
/// shard, other types and exchange form `rows`.
inline std::vector<planning::ShardingPlan> node_plans(const std::vector<EmbeddingBagConfig>& tables, int ranks,
                                                      int inside) {
  const int nodes = ranks / inside;
  std::vector<planning::ShardingPlan> all;
  const auto on_nodes = [&](std::size_t t, ShardingType type, Index row_cuts, Index column_cuts, int first, int turn) {
    column_cuts = std::min(column_cuts, planning::max_column_cuts(tables[t]));
    std::vector<int> owners;
    for (Index c = 0; c < column_cuts; ++c)
      for (Index r = 0; r < row_cuts; ++r) {
        const Index node = type == ShardingType::grid ? (first + c) % nodes : first % nodes;
        owners.push_back(static_cast<int>(node * inside + (turn + r + (row_cuts == 1 ? c : 0)) % inside));
      }
    return planning::ParameterSharding{type, embedding::ComputeKernel::fused, planning::ExchangeForm::two_levels,
                                       planning::cut(tables[t], row_cuts, column_cuts, owners)};
  };
  const auto of_all = [&](ShardingType type, Index row_cuts, Index column_cuts) {
    planning::ShardingPlan plan;
    for (std::size_t t = 0; t < tables.size(); ++t)
      plan.push_back(on_nodes(t, type, row_cuts, column_cuts, static_cast<int>(t), static_cast<int>(t / 2)));
    all.push_back(plan);
  };
  of_all(ShardingType::table_row_wise, inside, 1);
  of_all(ShardingType::table_column_wise, 1, inside);
  of_all(ShardingType::grid, inside, 3);  // the third slice lies on the node of the first
  all.push_back({on_nodes(0, ShardingType::table_row_wise, inside + 1, 1, 1, 1),
                 on_nodes(1, ShardingType::table_column_wise, 1, 4, 1, 0), plans(tables, ranks)[1][2]});
  all.push_back({all[1][0], plans(tables, ranks)[6][1], all[0][2]});
  all.push_back({plans(tables, ranks)[2][0], all[2][1], all[2][2]});
  all.back()[0].form = planning::ExchangeForm::rows;
  return all;
}

/// Returns plans with replica groups, for each number of groups a third of the plans of a group's ranks. Groups
/// of 4 ranks also have the plans for nodes of 2 ranks.
inline std::vector<planning::ShardingPlan> group_plans(const std::vector<EmbeddingBagConfig>& tables, int ranks) {
  std::vector<planning::ShardingPlan> all;
  for (int groups = 2; groups <= ranks; ++groups) {
    if (ranks % groups != 0) continue;
    const int size = ranks / groups;
    const std::vector<planning::ShardingPlan> of_group = plans(tables, size);
    const std::size_t first = all.size();
    for (std::size_t i = groups % 3; i < of_group.size(); i += 3) all.push_back(of_group[i]);
    if (size == 4)
      for (const planning::ShardingPlan& plan : node_plans(tables, 4, 2)) all.push_back(plan);
    for (std::size_t i = first; i < all.size(); ++i)
      for (planning::ParameterSharding& table : all[i]) table.replicas = groups;
  }
  return all;
}

}  // namespace law
