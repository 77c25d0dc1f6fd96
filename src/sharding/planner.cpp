// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <numeric>

#include <tesserec/core/error.hpp>
#include <tesserec/sharding/planner.hpp>

namespace tesserec::sharding {
namespace {

using embedding::EmbeddingBagConfig;
using embedding::RowBlocks;

/// Both sides in floats a step: the rows that all ranks may touch, once from each rank to each other, against
/// the pooled vectors and their gradients of one bag a feature and sample.
bool gathering_is_cheaper(const EmbeddingBagConfig& table, int ranks, Index global_batch) {
  const Index gathered = std::min(table.num_embeddings, global_batch) * ranks * (ranks - 1);
  const Index exchanged = 2 * global_batch * static_cast<Index>(table.feature_names.size());
  return gathered <= exchanged;
}

void check_ranks(const EmbeddingBagConfig& table, const ParameterConstraints& demand, ShardingType type,
                 int ranks) {
  for (const int rank : demand.ranks)
    if (rank < 0 || rank >= ranks)
      fail("plan.tables.", table.name, ": rank ", rank, " does not exist; this job has ranks 0 to ",
           ranks - 1);
  if (type == ShardingType::table_wise && demand.ranks.size() > 1)
    fail("plan.tables.", table.name, ": table_wise takes one rank, ", demand.ranks.size(),
         " are given; use row_wise");
  if (type == ShardingType::data_parallel && !demand.ranks.empty())
    fail("plan.tables.", table.name, ": data_parallel puts the table on every rank; take ranks away");
}

}  // namespace

ShardingPlan make_plan(std::span<const EmbeddingBagConfig> tables, const Settings& settings,
                       const optim::Settings& sparse_optimizer, int ranks, Index global_batch) {
  const auto demand_of = [&](const EmbeddingBagConfig& table) {
    const auto found = settings.tables.find(table.name);
    return found == settings.tables.end() ? ParameterConstraints{} : found->second;
  };
  const auto bytes_of = [&](const EmbeddingBagConfig& table) {
    return table_bytes(table, table.optimizer.value_or(sparse_optimizer), table.num_embeddings);
  };
  Index all_bytes = 0;
  for (const EmbeddingBagConfig& table : tables) all_bytes += bytes_of(table);

  ShardingPlan plan(tables.size());
  std::vector<Index> load(static_cast<std::size_t>(ranks));
  std::vector<std::size_t> to_place;
  for (std::size_t t = 0; t < tables.size(); ++t) {
    const ParameterConstraints demand = demand_of(tables[t]);
    std::optional<ShardingType> type = demand.sharding ? demand.sharding : settings.default_type;
    if (!type && demand.ranks.size() > 1) type = ShardingType::row_wise;
    if (!type && demand.ranks.size() == 1) type = ShardingType::table_wise;
    if (!type && ranks > 1 && gathering_is_cheaper(tables[t], ranks, global_batch))
      type = ShardingType::data_parallel;
    if (!type && ranks > 1 && bytes_of(tables[t]) * ranks > all_bytes) type = ShardingType::row_wise;
    plan[t].type = type.value_or(ShardingType::table_wise);
    plan[t].kernel = demand.kernel;
    check_ranks(tables[t], demand, plan[t].type, ranks);

    if (plan[t].type == ShardingType::row_wise) {
      std::vector<int> owners = demand.ranks;
      if (owners.empty()) {
        owners.resize(static_cast<std::size_t>(ranks));
        std::iota(owners.begin(), owners.end(), 0);
      }
      const auto count = static_cast<Index>(owners.size());
      plan[t].shards = cut(tables[t], count, 1, owners);
      for (const int owner : owners) load[owner] += bytes_of(tables[t]) / count;
    } else if (plan[t].type == ShardingType::table_wise && !demand.ranks.empty()) {
      plan[t].shards = cut(tables[t], 1, 1, demand.ranks);
      load[demand.ranks[0]] += bytes_of(tables[t]);
    } else if (plan[t].type == ShardingType::table_wise) {
      to_place.push_back(t);
    }
  }
  std::stable_sort(to_place.begin(), to_place.end(),
                   [&](std::size_t a, std::size_t b) { return bytes_of(tables[a]) > bytes_of(tables[b]); });
  for (const std::size_t t : to_place) {
    const auto lightest = std::min_element(load.begin(), load.end());
    *lightest += bytes_of(tables[t]);
    plan[t].shards = cut(tables[t], 1, 1, std::vector<int>{static_cast<int>(lightest - load.begin())});
  }
  return plan;
}

std::string describe(std::span<const EmbeddingBagConfig> tables, const ShardingPlan& plan) {
  std::string text = "  table                 rows   dim  type           kernel  shards (rank: rows)\n";
  for (std::size_t t = 0; t < tables.size(); ++t) {
    char line[160];
    std::snprintf(line, sizeof line, "  %-14s %12lld %5lld  %-13s  %-6s ", tables[t].name.c_str(),
                  static_cast<long long>(tables[t].num_embeddings),
                  static_cast<long long>(tables[t].embedding_dim), name(plan[t].type), name(plan[t].kernel));
    text += line;
    const RowBlocks blocks(tables[t].num_embeddings);
    if (plan[t].shards.empty()) text += " every rank";
    for (const Shard& shard : plan[t].shards) {
      const Range rows = blocks.rows(shard.blocks);
      text += " " + std::to_string(shard.rank) + ": " + std::to_string(rows.begin) + "-" +
              std::to_string(rows.end);
    }
    text += "\n";
  }
  return text;
}

}  // namespace tesserec::sharding
