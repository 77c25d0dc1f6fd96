// SPDX-License-Identifier: Apache-2.0
// Popular rows in the first row blocks, as in a preprocessed dataset.
#include "catch.hpp"
#include "random_tables.hpp"

using namespace tesserec;
using namespace tesserec::planning;

namespace {

constexpr Index rows = 1 << 20, dim = 32, half = embedding::block_count / 2;
constexpr Range columns{0, dim};

std::vector<embedding::EmbeddingBagConfig> one_table() {
  embedding::EmbeddingBagConfig table;
  table.name = "t", table.feature_names = {"t"}, table.num_embeddings = rows, table.embedding_dim = dim;
  return {table};
}

EmbeddingShardingPlanner planner_of(double exponent) {
  Settings settings;
  ParameterConstraints& demand = settings.tables["t"];
  demand.sharding = {ShardingType::table_wise, ShardingType::row_wise};
  demand.pooling_factor = 20;
  if (exponent >= 0) demand.popular = random_tables::first_blocks(rows, exponent);
  settings.memory = Index{1} << 40;
  return {topology_for(2, 0, settings), settings, {}, {}, 8192};
}

ShardingPlan cut_at(Index block) {
  return {{ShardingType::row_wise,
           ComputeKernel::fused,
           ExchangeForm::rows,
           {{0, {0, block}, columns}, {1, {block, embedding::block_count}, columns}}}};
}

}  // namespace

TEST_CASE("TableCosts: equally frequent popular rows change no estimate") {
  const auto tables = one_table();
  for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
    for (const Range blocks : {Range{0, half}, Range{300, 333}, Range{0, embedding::block_count}}) {
      const ShardLoad even = planner_of(-1).model().costs(tables[0], ComputeKernel::fused).shard(blocks, columns, form);
      const ShardLoad same = planner_of(0).model().costs(tables[0], ComputeKernel::fused).shard(blocks, columns, form);
      CHECK(same.owner.seconds == Approx(even.owner.seconds));
      CHECK(same.common.seconds == Approx(even.common.seconds));
      CHECK(same.owner.bytes == Approx(even.owner.bytes));
    }
}

TEST_CASE("EmbeddingShardingPlanner: gives fewer rows to the shard with the popular rows") {
  const auto tables = one_table();
  const auto planner = planner_of(1.0);
  const TableCosts costs = planner.model().costs(tables[0], ComputeKernel::fused);
  // Block b has 1 / (b + 1) of the harmonic number 7.51 of 1024, so the first half has 0.908 of the lookups.
  CHECK(costs.traffic({0, half})[traffic_ids] / costs.whole()[traffic_ids] == Approx(0.908).epsilon(1e-3));
  for (const ExchangeForm form : {ExchangeForm::pooled, ExchangeForm::rows})
    CHECK(costs.shard({0, half}, columns, form).owner.seconds >
          1.5 * costs.shard({half, embedding::block_count}, columns, form).owner.seconds);
  const auto seconds = [&](Index block) { return planner.model().evaluate(tables, cut_at(block)).critical_path(); };
  double best = seconds(1);
  for (Index block = 2; block < embedding::block_count; ++block) best = std::min(best, seconds(block));
  const ProvenPlan proven = planner.plan(tables);
  CHECK(proven.estimate.critical_path() <= best * 1.001);
  CHECK(proven.estimate.critical_path() < 0.8 * seconds(half));
  REQUIRE(proven.plan[0].shards.size() == 2);
  CHECK(proven.plan[0].shards[0].blocks.size() < half / 2);
  CHECK(planner_of(-1).plan(tables).plan[0].shards[0].blocks.size() == half);
}

TEST_CASE("popularity_text: names the source of the frequencies") {
  auto tables = one_table();
  Settings settings;
  CHECK(popularity_text(tables, settings) == "frequencies of rows: taken as equal\n");
  settings.tables["t"].zipf = 1.05;
  CHECK(popularity_text(tables, settings) == "frequencies of rows: Zipf 1.05, scattered\n");
  settings.tables["t"].popular = random_tables::first_blocks(rows, 1);
  tables.push_back(tables[0]);
  tables.back().name = "u";
  CHECK(popularity_text(tables, settings) == "frequencies of rows: made up (1 table); taken as equal (1 table)\n");
}
