// SPDX-License-Identifier: Apache-2.0
// EmbeddingShardingPlanner: forced types, limits of memory, errors, and the JSON of a plan.
#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"
#include "random_tables.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/planning/plan_file.hpp>

using namespace tesserec;
using planned::four_tables, planned::Given;
using planning::ShardingType;

namespace {

Given forced(ShardingType type, int ranks = 2, int inside = 0) {
  Given given;
  for (const auto& table : four_tables()) given.settings.tables[table.name].sharding = type;
  given.ranks = ranks;
  given.ranks_per_node = inside;
  return given;
}

const Range all_blocks{0, embedding::block_count};

}  // namespace

TEST_CASE("EmbeddingShardingPlanner: places four tables on two ranks by each forced type") {
  const auto whole = forced(ShardingType::table_wise).plan();
  for (std::size_t t = 0; t < 4; ++t)
    CHECK(whole[t].shards == std::vector<planning::Shard>{{static_cast<int>(t % 2), all_blocks, {0, 64}}});
  for (const auto& by_rows : forced(ShardingType::row_wise).plan())
    CHECK(by_rows.shards == std::vector<planning::Shard>{{0, {0, 512}, {0, 64}}, {1, {512, 1024}, {0, 64}}});
  for (const auto& by_columns : forced(ShardingType::column_wise).plan())
    CHECK(by_columns.shards == std::vector<planning::Shard>{{0, all_blocks, {0, 32}}, {1, all_blocks, {32, 64}}});
  for (const auto& copies : forced(ShardingType::data_parallel).plan()) {
    CHECK(copies.type == ShardingType::data_parallel);
    CHECK(copies.shards.empty());
  }
}

TEST_CASE("EmbeddingShardingPlanner: types of two levels keep the shards of a table on one node") {
  for (const ShardingType type : {ShardingType::table_row_wise, ShardingType::table_column_wise})
    for (const auto& table : forced(type, 4, 2).plan()) {
      REQUIRE(table.shards.size() == 2);
      CHECK(table.shards[0].rank / 2 == table.shards[1].rank / 2);
      CHECK(table.shards[0].rank != table.shards[1].rank);
    }
  for (const auto& table : forced(ShardingType::grid, 4, 2).plan()) {
    REQUIRE(table.shards.size() == 4);
    CHECK(table.shards[0].rank / 2 == table.shards[1].rank / 2);
    CHECK(table.shards[0].rank / 2 != table.shards[2].rank / 2);
  }
}

TEST_CASE("EmbeddingShardingPlanner: takes two_levels for few tables and long bags on a slow network") {
  for (const std::size_t count : {2, 4}) {
    Given given;
    given.ranks = 8, given.ranks_per_node = 4;
    given.settings.costs.between_bytes = 2e8;
    std::vector<embedding::EmbeddingBagConfig> tables = four_tables();
    tables.resize(count);
    for (embedding::EmbeddingBagConfig& table : tables) {
      table.num_embeddings = 2000000, table.embedding_dim = 128;
      given.settings.tables[table.name].pooling_factor = 20;
    }
    const auto planned = given.planner().plan(tables);
    for (const planning::ParameterSharding& table : planned.plan) CHECK(planning::by_two_levels(table, 8, 4));
    given.settings.exchange_levels = 1;
    const double two = planned.estimate.critical_path();
    CHECK(given.planner().plan(tables).estimate.critical_path() > (count == 2 ? 1.2 : 1.02) * two);
    CHECK(given.planner().evaluate(tables, planned.plan).estimate.critical_path() > 1.5 * two);
    given.settings.exchange_levels = 2;
    given.settings.costs.between_bytes = given.settings.costs.inside_bytes = 1e12;  // nothing to save
    for (const planning::ParameterSharding& table : given.planner().plan(tables).plan)
      CHECK_FALSE(planning::by_two_levels(table, 8, 4));
  }
}

TEST_CASE("EmbeddingShardingPlanner: one rank has all tables table_wise and fused") {
  Given given;
  given.ranks = 1;
  for (const auto& table : given.plan()) {
    CHECK(table.type == ShardingType::table_wise);
    CHECK(table.kernel == planning::ComputeKernel::fused);
  }
}

TEST_CASE("topology_of: divides a node's memory by the ranks of the fullest node") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const Index whole = planning::topology_for(1, 1, {}).memory;
  const auto memory = [&](const std::vector<int>& nodes) { return planning::topology_of(comm, {}, nodes).memory; };
  const std::vector<std::pair<std::vector<int>, Index>> layouts[] = {
      {{{0}, 1}},
      {{{0, 0}, 2}, {{0, 1}, 1}},
      {{{0, 0, 0}, 3}, {{0, 0, 2}, 2}, {{0, 1, 0}, 2}},
      {{{0, 0, 2, 2}, 2}, {{0, 1, 0, 1}, 2}, {{0, 0, 0, 3}, 3}, {{0, 1, 2, 3}, 1}}};
  for (const auto& [nodes, fullest] : layouts[comm.size() - 1]) CHECK(memory(nodes) == whole / fullest);
}

TEST_CASE("EmbeddingShardingPlanner: throws with the missing bytes of a whole table and auto cuts it") {
  auto given = forced(ShardingType::table_wise);
  given.settings.reserve = 0;
  given.settings.memory = 1450000;  // a large table has 1048576 bytes, a small one 262144; messages are extra
  const std::string refused = error_of([&] { given.plan(); });
  CHECK(refused.find("does not fit") != std::string::npos);
  CHECK(refused.find("are missing") != std::string::npos);
  CHECK(refused.find("large_") != std::string::npos);
  CHECK(refused.ends_with("sharding = \"auto\")"));  // more ranks do not help a whole table
  given.settings.tables.clear();
  given.settings.memory = 900000;
  CHECK(error_of([&] { given.plan(); }).find("the tables do not fit") == 0);  // 2.6 MB of tables on 1.8 MB
  auto tables = four_tables();
  tables[0].num_embeddings = 12288;  // 3.1 MB alone
  given.settings.memory = 4200000;
  const auto proven = given.planner().plan(tables);
  CHECK(proven.plan[0].shards.size() == 2);
  for (const double bytes : proven.estimate.bytes) CHECK(bytes <= 4200000);
  auto whole = forced(ShardingType::table_wise);
  whole.settings.reserve = 0;
  whole.settings.memory = 3000000;
  CHECK(error_of([&] { whole.planner().plan(tables); }).find("table large_0 does not fit") == 0);
  CHECK(error_of([&] { whole.planner().plan(tables); }).find("train.batch_size") == std::string::npos);
  auto crowd = forced(ShardingType::table_wise);
  crowd.batch = Index{1} << 24;
  crowd.settings.memory = 30000000;
  CHECK(error_of([&] { crowd.plan(); }).find("A batch of 16777216 samples takes most of it: lower train.batch_size") !=
        std::string::npos);
  Given rows;
  auto& demand = rows.settings.tables["large_0"];
  rows.settings.reserve = 0;
  rows.settings.memory = 1600000;
  tables.resize(1);
  demand.sharding = ShardingType::row_wise;
  CHECK(error_of([&] { rows.planner().plan(tables); }).ends_with(", or use more ranks"));
  demand.ranks = {0, 1};
  CHECK(error_of([&] { rows.planner().plan(tables); }).ends_with(", or name more ranks"));
}

TEST_CASE("EmbeddingShardingPlanner: throws with the table's name for wrong constraints") {
  Given given;
  const auto with = [&](const std::string& name, const planning::ParameterConstraints& demand) {
    Given bad;
    bad.settings.tables[name] = demand;
    return error_of([&] { bad.plan(); });
  };
  planning::ParameterConstraints demand;
  CHECK(with("other", demand).find("there is no table \"other\"") != std::string::npos);
  demand.ranks = {2};
  demand.sharding = ShardingType::table_wise;
  CHECK(with("large_0", demand).find("large_0.ranks: rank 2 does not exist") != std::string::npos);
  demand.ranks = {0, 1};
  CHECK(with("large_0", demand).find("large_0.ranks: table_wise takes one rank") != std::string::npos);
  demand.sharding = ShardingType::data_parallel;
  CHECK(with("large_0", demand).find("large_0.ranks: data_parallel") != std::string::npos);
  demand.sharding = {ShardingType::row_wise, ShardingType::grid};
  CHECK(with("large_0", demand).find("large_0.ranks: sharding must name exactly one type") != std::string::npos);
  CHECK(error_of([] { forced(ShardingType::grid, 3, 2).plan(); }).find("plan.ranks_per_node = 2") != std::string::npos);
}

TEST_CASE("parse_plan: reads the text of plan_json and throws for another model or number of ranks") {
  const random_tables::Set set = random_tables::random_set(5);
  const auto planner = set.planner();
  const auto proven = planner.plan(set.tables);
  const std::string text = planning::plan_json(set.tables, proven, set.topology, set.global_batch);
  const auto again = planning::parse_plan(text, "p.json", set.tables, set.topology.ranks);
  for (std::size_t t = 0; t < again.size(); ++t) {
    CHECK(again[t].type == proven.plan[t].type);
    CHECK(again[t].form == proven.plan[t].form);
    CHECK(again[t].shards == proven.plan[t].shards);
  }
  CHECK(planner.evaluate(set.tables, again).estimate.critical_path() == proven.estimate.critical_path());
  const auto read = [&](const std::vector<embedding::EmbeddingBagConfig>& tables, int ranks) {
    return error_of([&] { planning::parse_plan(text, "p.json", tables, ranks); });
  };
  CHECK(read(set.tables, set.topology.ranks + 1).find("p.json: the plan is for ") == 0);
  auto tables = set.tables;
  tables[3].num_embeddings += 1;
  CHECK(read(tables, set.topology.ranks).find("p.json: table t3: the plan has ") == 0);
  tables = set.tables;
  tables[2].name = "other";
  CHECK(read(tables, set.topology.ranks).find("the plan has no table \"other\"") != std::string::npos);
  tables = set.tables;
  tables.pop_back();
  CHECK(read(tables, set.topology.ranks).find("is not in this model") != std::string::npos);
}

TEST_CASE("collective_plan: rank 0 plans for all and ranks with other settings are an error") {
  const comm::Communicator comm(MPI_COMM_WORLD);
  const auto tables = four_tables();
  planning::Settings settings;
  settings.memory = Index{1} << 40;
  const auto planner_of = [&](const planning::Settings& own) {
    return planning::EmbeddingShardingPlanner(planning::topology_of(comm, own), own, {}, {}, 512);
  };
  const auto collective = [&](const planning::Settings& own) { return planner_of(own).collective_plan(comm, tables); };
  const auto proven = collective(settings);
  const auto alone = planner_of(settings).plan(tables);
  CHECK(alone.min_rows > 1);
  CHECK(proven.min_rows == alone.min_rows);
  planning::require_same_plan(comm, tables, proven.plan);
  CHECK(proven.estimate.critical_path() >= proven.lower_bound);
  if (comm.size() == 1) return;
  planning::Settings own = settings;
  if (comm.rank() == comm.size() - 1) own.tables["small_1"].pooling_factor = 7;
  CHECK(error_of([&] { collective(own); }).find("table small_1: rank " + std::to_string(comm.size() - 1)) == 0);
  planning::ShardingPlan other = proven.plan;
  other[1] = {};
  other[1].shards = planning::cut(tables[1], 1, 1, std::vector<int>{comm.rank() == 0 ? 0 : 1});
  CHECK(error_of([&] { planning::require_same_plan(comm, tables, other); }).find("table large_1") == 0);
}
