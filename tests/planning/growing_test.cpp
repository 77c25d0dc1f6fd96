// SPDX-License-Identifier: Apache-2.0
// Growing tables in the cost model and the planner.
#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include <tesserec/planning/cost_model.hpp>

using namespace tesserec;
using planning::ComputeKernel;
using planning::ShardingType;

namespace {

std::vector<embedding::EmbeddingBagConfig> growing_tables() {
  std::vector<embedding::EmbeddingBagConfig> tables = planned::four_tables();
  tables[0].block_by = embedding::BlockBy::hash;
  tables[0].num_embeddings = 5000;  // no multiple of the blocks
  return tables;
}

}  // namespace

TEST_CASE("EmbeddingShardingPlanner: shards of a growing table hold even shares of its capacity and their index") {
  planned::Given given;
  given.ranks = 3;
  given.settings.tables["large_0"].sharding = ShardingType::row_wise;
  const auto tables = growing_tables();
  const planning::ShardingPlan plan = given.planner().plan(tables).plan;
  REQUIRE(plan[0].shards.size() == 3);
  Index all = 0;
  for (const planning::Shard& shard : plan[0].shards) {
    CHECK(shard.blocks.size() >= 341);
    const Index rows = tables[0].blocks().rows(shard.blocks).size();
    CHECK(rows >= 341 * 4);
    all += rows;
  }
  CHECK(all == 5000);
  embedding::EmbeddingBagConfig table = tables[0];
  const auto bytes = [&](Index admit_after) {
    table.growth.admit_after = admit_after;
    return planning::RowStorage(table, {}, optim::Settings(), 300).bytes(5000, 64);
  };
  const double rows = 5000 * 64 * 4.0, zeros = 1024 * 64 * 4.0;
  CHECK(bytes(1) == Approx(rows + zeros + 64 * 1024 + 5000 * (24 + 8)));
  CHECK(bytes(2) == Approx(bytes(1) + 5000 * (24 + 8 + 12)));
  table.growth.unknown = embedding::UnknownRow::start;
  CHECK(bytes(1) == Approx(rows + 2 * 300 * 64 * 4.0 + 64 * 1024 + 5000 * (24 + 8)));
  const planning::TableCosts costs(table, {.pooling_factor = 3}, {}, planning::Topology(), 100);
  CHECK(costs.storage().fixed == Approx(2 * 300 * 64 * 4.0 + 64 * 1024));
}

TEST_CASE("EmbeddingShardingPlanner: never copies a growing table and gives it no kernel but fused") {
  planned::Given given;
  const auto tables = growing_tables();
  CHECK(given.planner().plan(tables).plan[0].type != ShardingType::data_parallel);
  given.settings.tables["large_0"].sharding = ShardingType::data_parallel;
  CHECK(mentions(error_of([&] { given.planner().plan(tables); }),
                 "large_0: the table grows, so it cannot be data_parallel"));
  planning::ShardingPlan copied = planned::Given().planner().plan(tables).plan;
  copied[0] = {ShardingType::data_parallel, ComputeKernel::fused, {}, {}};
  CHECK(mentions(error_of([&] { planning::check_plan(tables, copied, 2); }), "grows, so it cannot be data_parallel"));
  for (const ComputeKernel kernel : {ComputeKernel::dense, ComputeKernel::disk}) {
    given = {};
    given.settings.tables["large_0"].kernel = kernel;
    CHECK(mentions(error_of([&] { given.planner().plan(tables); }),
                   std::string("grows, so it cannot have kernel \"") + planning::name(kernel)));
  }
}
