// SPDX-License-Identifier: Apache-2.0
// Small tables, which are cut only if the step gains more than predictions err, or if memory demands it.
#include <algorithm>

#include "catch.hpp"
#include "four_tables.hpp"

using namespace tesserec;
using planned::Given;
using planning::ShardingType;

namespace {

/// Returns the 26 tables of Criteo Terabyte.
std::vector<embedding::EmbeddingBagConfig> criteo() {
  std::vector<embedding::EmbeddingBagConfig> tables;
  for (const Index rows :
       {40000000, 39060, 17295, 7424, 20265, 3,  7122,     1543,     63,       40000000, 3067956, 405282, 10,
        2209,     11938, 155,   4,    976,   14, 40000000, 40000000, 40000000, 590152,   12973,   108,    36}) {
    embedding::EmbeddingBagConfig table;
    table.name = "cat_" + std::to_string(tables.size());
    table.feature_names = {table.name};
    table.num_embeddings = rows;
    table.embedding_dim = 128;
    tables.push_back(table);
  }
  return tables;
}

Given on_gpus(int ranks, Index batch, Index min_rows) {
  Given given;
  given.settings.device = "cuda";
  given.settings.costs = planning::gpu_machines().front().costs;
  given.settings.memory = planning::gpu_machines().front().memory;
  given.settings.min_rows = min_rows;
  given.ranks = ranks;
  given.ranks_per_node = 8;
  given.batch = batch;
  return given;
}

/// Returns the rows of the smallest shard of the tables that are cut.
Index smallest_shard(const std::vector<embedding::EmbeddingBagConfig>& tables, const planning::ShardingPlan& plan) {
  Index least = tables[0].num_embeddings;
  for (std::size_t t = 0; t < plan.size(); ++t)
    for (const planning::Shard& shard : plan[t].shards)
      if (plan[t].shards.size() > 1)
        least = std::min(least, embedding::RowBlocks(tables[t].num_embeddings).rows(shard.blocks).size());
  return least;
}

}  // namespace

TEST_CASE("EmbeddingShardingPlanner: small tables stay whole if cutting them gains little") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  const auto tables = criteo();
  const auto whole = on_gpus(128, 2048, 1000).planner().plan(tables);
  const auto any = on_gpus(128, 2048, 1).planner().plan(tables);
  CHECK(whole.min_rows == 1000);
  CHECK(smallest_shard(tables, whole.plan) >= 1000);
  CHECK(smallest_shard(tables, any.plan) < 100);
  CHECK(whole.estimate.critical_path() < 1.05 * any.estimate.critical_path());
  CHECK(whole.estimate.critical_path() >= whole.lower_bound);
  CHECK(whole.lower_bound > any.lower_bound);  // over fewer plans
}

TEST_CASE("EmbeddingShardingPlanner: small tables are cut no finer than needed if the step gains 5 %") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  const auto tables = criteo();
  const auto chosen = on_gpus(128, 65536, 1000).planner().plan(tables);
  const auto any = on_gpus(128, 65536, 1).planner().plan(tables);
  CHECK(chosen.min_rows > 1);
  CHECK(chosen.min_rows < 1000);
  CHECK(smallest_shard(tables, chosen.plan) >= chosen.min_rows);
  CHECK(chosen.estimate.critical_path() <= 1.05 * any.estimate.critical_path());
}

TEST_CASE("EmbeddingShardingPlanner: a small table is cut if it fits no rank or if the deck demands it") {
  Given given;
  given.ranks = 4;
  given.settings.reserve = 0;
  given.settings.memory = 400000;
  auto tables = planned::four_tables();
  tables.resize(1);
  tables[0].num_embeddings = 900;
  tables[0].embedding_dim = 128;  // 0.46 MB
  given.batch = 16;
  given.settings.costs.inside_latency = 1e-2;  // no cut gains 5 %
  CHECK(given.planner().plan(tables).plan[0].shards.size() > 1);
  given.settings.memory = 40000000;
  CHECK(given.planner().plan(tables).plan[0].shards.size() <= 1);
  given.settings.tables["large_0"].sharding = ShardingType::row_wise;
  CHECK(given.planner().plan(tables).plan[0].shards.size() == 4);
  given.settings.tables["large_0"].sharding = {ShardingType::column_wise, ShardingType::grid};
  tables[0].num_embeddings = 500;
  CHECK(given.planner().plan(tables).plan[0].shards.size() > 1);
  given.settings.tables["large_0"].sharding = {ShardingType::row_wise, ShardingType::column_wise};
  CHECK(given.planner().plan(tables).plan[0].shards.size() == 1);
}

TEST_CASE("EmbeddingShardingPlanner: a table with fewer rows than ranks is cut if the deck demands it") {
  if (comm::Communicator(MPI_COMM_WORLD).size() > 1) return;
  const auto all = criteo();
  const std::vector<embedding::EmbeddingBagConfig> tables{all[5], all[16]};  // 3 and 4 rows
  for (const ShardingType type : {ShardingType::row_wise, ShardingType::table_row_wise, ShardingType::grid}) {
    Given given = on_gpus(16, 2048, 1000);
    given.settings.default_type = type;
    const planning::ShardingPlan plan = given.planner().plan(tables).plan;
    for (std::size_t t = 0; t < tables.size(); ++t) CHECK(plan[t].shards.size() >= 8);
  }
}
