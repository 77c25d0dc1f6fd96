// SPDX-License-Identifier: Apache-2.0
// Plans against TorchRec's: the shards of forced types, and free plans under our cost model.
#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "golden.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/planning/plan_file.hpp>

using namespace tesserec;
using planning::ShardingType;

namespace {

Json reference() {
  std::ifstream file(golden::path("planner.json"));
  REQUIRE(file);
  return parse_json({std::istreambuf_iterator<char>(file), {}});
}

/// Returns the tables of a set. Plans call table T "tT".
std::vector<embedding::EmbeddingBagConfig> tables_of(const Json& set) {
  std::vector<embedding::EmbeddingBagConfig> tables(set.at("rows").elements().size());
  for (std::size_t t = 0; t < tables.size(); ++t) {
    tables[t].name = "t" + std::to_string(t);
    tables[t].feature_names = {tables[t].name};
    tables[t].num_embeddings = set.at("rows").elements()[t].integer();
    tables[t].embedding_dim = set.at("dims").elements()[t].integer();
  }
  return tables;
}

ShardingType type_named(const std::string& word) {
  if (word == "grid_shard") return ShardingType::grid;
  for (const ShardingType type :
       {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise, ShardingType::table_row_wise,
        ShardingType::table_column_wise, ShardingType::data_parallel})
    if (word == planning::name(type)) return type;
  FAIL("no sharding type is named " << word);
  return {};
}

planning::Topology topology_of(const Json& plan) {
  planning::Topology topology;
  topology.ranks = static_cast<int>(plan.at("world_size").integer());
  topology.ranks_per_node = static_cast<int>(plan.at("local_world_size").integer());
  return topology;
}

Index element(const Json& list, std::size_t i) { return list.elements().at(i).integer(); }

/// TorchRec's fewest columns of a shard without min_partition.
constexpr Index min_partition = 128;

}  // namespace

TEST_CASE("EmbeddingShardingPlanner: golden shards of TorchRec for forced types") {
  const Json all = reference();
  const auto tables = tables_of(all.at("forced").at("table_set"));
  std::size_t checked = 0;
  for (const Json& expected : all.at("forced").at("plans").elements()) {
    if (expected.has("error")) continue;  // TorchRec does not support this on CPUs
    const ShardingType type = type_named(expected.at("sharding_type").string());
    planning::Settings settings;
    for (const auto& table : tables) {
      settings.tables[table.name].sharding = type;
      const Json& least = expected.at("min_partition");
      settings.tables[table.name].min_partition = least.kind() == Json::Kind::null ? min_partition : least.integer();
    }
    const planning::Topology topology = topology_of(expected);
    const auto plan = planning::EmbeddingShardingPlanner(topology, settings, {}, {}, 1024).plan(tables).plan;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      using Rectangle = std::array<Index, 4>;
      std::vector<Rectangle> ours, theirs;
      const embedding::RowBlocks blocks(tables[t].num_embeddings);
      for (const planning::Shard& shard : plan[t].shards) {
        const Range rows = blocks.rows(shard.blocks);
        ours.push_back({rows.begin, shard.columns.begin, rows.size(), shard.columns.size()});
      }
      if (type != ShardingType::data_parallel)
        for (const Json& shard : expected.at("tables").at(tables[t].name).at("shards").elements())
          theirs.push_back({element(shard.at("offset"), 0), element(shard.at("offset"), 1),
                            element(shard.at("size"), 0), element(shard.at("size"), 1)});
      std::sort(ours.begin(), ours.end());
      std::sort(theirs.begin(), theirs.end());
      INFO(planning::name(type) << ", table " << t << ", " << topology.ranks << " ranks");
      CHECK(ours == theirs);
      ++checked;
    }
  }
  REQUIRE(checked > 50);
}

TEST_CASE("EmbeddingShardingPlanner: golden free plans of TorchRec are no faster under our cost model") {
  const Json all = reference();
  std::vector<double> gaps;
  for (const Json& plan : all.at("free").at("plans").elements()) {
    const Json& set = all.at("free").at("table_sets").at(plan.at("tables_from").string());
    const auto tables = tables_of(set);
    planning::Settings settings;
    for (std::size_t t = 0; t < tables.size(); ++t)
      settings.tables[tables[t].name].pooling_factor = set.at("pooling").elements()[t].number();
    const planning::Topology topology = topology_of(plan);
    const planning::EmbeddingShardingPlanner planner(topology, settings, {}, {},
                                                     plan.at("batch_size_per_rank").integer() * topology.ranks);
    planning::ShardingPlan theirs;
    for (std::size_t t = 0; t < tables.size(); ++t) {
      const Json& table = plan.at("tables").at(tables[t].name);
      Json entry = Json::object();
      entry.set("name", tables[t].name).set("rows", tables[t].num_embeddings).set("dim", tables[t].embedding_dim);
      entry.set("type", table.at("sharding_type")).set("shards", table.at("shards"));
      const std::string text =
          Json::object().set("ranks", topology.ranks).set("tables", Json::array().add(entry)).text();
      theirs.push_back(planning::parse_plan(text, "planner.json", std::span(&tables[t], 1), topology.ranks,
                                            planning::Borders::nearest)[0]);
    }
    const auto ours = planner.plan(tables);
    const double seconds = planner.model().evaluate(tables, theirs).critical_path();
    INFO(plan.at("tables_from").string() << " on " << topology.ranks << " ranks: ours " << ours.estimate.critical_path()
                                         << " s, TorchRec's " << seconds << " s, gap " << ours.gap());
    CHECK(ours.estimate.critical_path() <= seconds);
    CHECK(ours.lower_bound <= seconds);
    CHECK(ours.gap() <= 0.10);
    gaps.push_back(ours.gap());
  }
  std::sort(gaps.begin(), gaps.end());
  CHECK(gaps[gaps.size() / 2] <= 0.02);
}
