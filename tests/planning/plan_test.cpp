// SPDX-License-Identifier: Apache-2.0
// check_plan, parse_plan and read_given_plan: what a plan may contain.
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>

#include <unistd.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/planning/plan_file.hpp>
#include <tesserec/planning/planner.hpp>

using namespace tesserec;
using planning::Shard;
using planning::ShardingType;

namespace {

const std::vector<embedding::EmbeddingBagConfig> one_table = {{"t", 5000, 16, {"a"}, {}, false, {}}};

/// Returns the error of check_plan for a table with these shards on 3 ranks.
std::string refusal(ShardingType type, const std::vector<Shard>& shards) {
  planning::ParameterSharding given;
  given.type = type;
  given.shards = shards;
  return error_of([&] { planning::check_plan(one_table, {given}, 3); });
}

}  // namespace

TEST_CASE("check_plan: throws unless shards tile the table as a grid on ranks that exist") {
  const Range all{0, 1024}, top{0, 512}, bottom{512, 1024};
  using T = ShardingType;
  const std::vector<Shard> grid = {{0, top, {0, 8}}, {1, bottom, {0, 8}}, {2, top, {8, 16}}, {0, bottom, {8, 16}}};
  CHECK(refusal(T::grid, grid) == "");
  CHECK(refusal(T::table_wise, {{2, all, {0, 16}}}) == "");
  const auto changed = [&](std::size_t i, Shard shard) {
    std::vector<Shard> other = grid;
    other[i] = shard;
    return refusal(T::grid, other);
  };
  const std::string of = "plan of table t: ";
  CHECK(changed(1, {3, bottom, {0, 8}}) == of + "rank 3 does not exist; the job has ranks 0 to 2");
  CHECK(changed(1, {-1, bottom, {0, 8}}) == of + "rank -1 does not exist; the job has ranks 0 to 2");
  CHECK(changed(1, {1, {513, 1024}, {0, 8}}) ==
        of + "row blocks 513 to 1024 do not follow block 512; cover every row block once, in order");
  CHECK(changed(1, {1, {511, 1024}, {0, 8}}) ==
        of + "row blocks 511 to 1024 do not follow block 512; cover every row block once, in order");
  CHECK(changed(1, {1, {512, 1023}, {0, 8}}) ==
        of + "its row blocks end at 1023 instead of 1024; add the missing blocks");
  CHECK(changed(2, {2, top, {12, 16}}) ==
        of + "columns 12 to 16 do not follow column 8; cover every column once, in order");
  CHECK(changed(2, {2, top, {4, 16}}) ==
        of + "columns 4 to 16 do not follow column 8; cover every column once, in order");
  CHECK(refusal(T::grid, {grid[0], grid[1], {2, {0, 500}, {8, 16}}, {0, {500, 1024}, {8, 16}}}) ==
        of + "columns 8 to 16 have other row cuts than the first columns; cut all alike");
  CHECK(refusal(T::column_wise, {{0, all, {0, 6}}, {1, all, {6, 16}}}) ==
        of + "column 6 is not a multiple of 4; move the border");
  CHECK(refusal(T::column_wise, {{0, all, {0, 8}}, {1, all, {8, 12}}}) ==
        of + "its columns end at 12 instead of 16; cover all columns");
  CHECK(refusal(T::column_wise, {{0, all, {0, 8}}, {1, all, {8, 20}}}) ==
        of + "its columns end at 20 instead of 16; cover all columns");
  CHECK(refusal(T::row_wise, grid) == of + "row_wise does not cut columns; name it grid");
  CHECK(refusal(T::column_wise, grid) == of + "column_wise does not cut rows; name it grid");
  CHECK(mentions(refusal(T::table_wise, grid), of + "a table_wise table has one shard, but the plan has 4"));
  CHECK(refusal(T::row_wise, {}) == of + "a row_wise table needs shards, but the plan has none; add them");
  CHECK(refusal(T::data_parallel, {{0, all, {0, 16}}}) ==
        of + "a data_parallel table has no shards, but the plan has 1; remove them");
  CHECK(error_of([] { planning::check_plan(one_table, {}, 3); }) ==
        "the plan has 0 tables, but the model has 1; make a plan for this model");
}

TEST_CASE("parse_plan: takes shards in any order and throws if a table stands twice") {
  const auto shard = [](int rank, Index row, Index rows, Index column) {
    return "{\"rank\": " + std::to_string(rank) + ", \"offset\": [" + std::to_string(row) + ", " +
           std::to_string(column) + "], \"size\": [" + std::to_string(rows) + ", 8]}";
  };
  const std::string table = "{\"name\": \"t\", \"rows\": 5000, \"dim\": 16, \"type\": \"grid\", \"shards\": [" +
                            shard(0, 2500, 2500, 8) + "," + shard(1, 2500, 2500, 0) + "," + shard(2, 0, 2500, 8) + "," +
                            shard(0, 0, 2500, 0) + "]}";
  const auto parsed = [](const std::string& tables, const std::vector<embedding::EmbeddingBagConfig>& model) {
    return planning::parse_plan("{\"ranks\": 3, \"tables\": [" + tables + "]}", "p.json", model, 3);
  };
  const std::vector<Shard> in_order = {
      {0, {0, 500}, {0, 8}}, {1, {500, 1024}, {0, 8}}, {2, {0, 500}, {8, 16}}, {0, {500, 1024}, {8, 16}}};
  CHECK(parsed(table, one_table)[0].shards == in_order);
  CHECK(error_of([&] { parsed(table + "," + table, one_table); }) ==
        "p.json: the plan has a table twice; remove one entry");
  const std::string far = "{\"name\": \"t\", \"rows\": 5000, \"dim\": 16, \"type\": \"grid\", \"shards\": [" +
                          shard(0, 1, std::numeric_limits<Index>::max(), 0) + "]}";
  CHECK(mentions(error_of([&] { parsed(far, one_table); }),
                 "9223372036854775807 is not a valid number of rows or columns"));
  auto wider = one_table;
  wider[0].embedding_dim = 20;
  CHECK(mentions(error_of([&] { parsed(table, wider); }), "table t: the plan has dim = 16, but this model has 20"));
}

TEST_CASE("parse_plan: reads escaped names and throws with the line if the text is no JSON") {
  std::vector<embedding::EmbeddingBagConfig> model = one_table;
  model[0].name = "caf\xc3\xa9 \xce\x94";
  const std::string text =
      "{\"ranks\": 2, \"tables\": [\n{\"name\": \"caf\\u00e9 \\u0394\", \"rows\": 5000, \"dim\": 16, \"type\": "
      "\"table_wise\",\n\"shards\": [{\"rank\": 1, \"offset\": [0, 0], \"size\": [5000, 16]}]}]}";
  CHECK(planning::parse_plan(text, "p.json", model, 2)[0].shards ==
        std::vector<Shard>{{1, {0, embedding::block_count}, {0, 16}}});
  const auto refused = [&](const std::string& wrong) {
    return error_of([&] { planning::parse_plan(wrong, "p.json", model, 2); });
  };
  CHECK(mentions(refused(text.substr(0, text.size() - 3) + ",]}"), "p.json: parse error at line 3, column "));
  CHECK(mentions(refused(text.substr(0, text.size() - 3) + ", \"dim\": 16}]}"), "line 3: \"dim\" occurs twice"));
}

TEST_CASE("read_given_plan: throws with file and table and both values if the deck demands otherwise") {
  const std::string path =
      (std::filesystem::temp_directory_path() / ("tesserec_plan_" + std::to_string(getpid()) + ".json")).string();
  const auto write = [&](const std::string& type, const std::string& kernel,
                         const std::vector<planning::Shard>& shards) {
    const embedding::RowBlocks blocks(5000);
    std::string text = "{\"ranks\": 4, \"tables\": [{\"name\": \"t\", \"rows\": 5000, \"dim\": 16, \"type\": \"" +
                       type + "\", \"kernel\": \"" + kernel + "\", \"shards\": [";
    for (const planning::Shard& shard : shards) {
      const Range rows = blocks.rows(shard.blocks);
      text += std::string(&shard == shards.data() ? "" : ", ") + "{\"rank\": " + std::to_string(shard.rank) +
              ", \"offset\": [" + std::to_string(rows.begin) + ", " + std::to_string(shard.columns.begin) +
              "], \"size\": [" + std::to_string(rows.size()) + ", " + std::to_string(shard.columns.size()) + "]}";
    }
    std::ofstream(path) << text + "]}]}";
  };
  planning::Settings free;
  free.file = path;
  const auto error = [&](const auto& demand) {
    planning::Settings settings = free;
    demand(settings, settings.tables["t"]);
    return error_of([&] { planning::read_given_plan(settings, one_table, 4); });
  };
  using Settings = planning::Settings;
  using Demand = planning::ParameterConstraints;
  using T = planning::ShardingType;
  using K = planning::ComputeKernel;

  write("row_wise", "dense", {{3, {0, 500}, {0, 16}}, {1, {500, 1024}, {0, 16}}});
  CHECK(error([](Settings&, Demand&) {}).empty());
  CHECK(planning::plan_ranks(path) == 4);
  CHECK(error([](Settings&, Demand& d) { d.sharding = T::table_wise; }) ==
        "plan.file: " + path +
            ": table t: the plan is row_wise, but plan.tables.t.sharding is table_wise; remove that key, or make "
            "another plan");
  CHECK(mentions(error([](Settings&, Demand& d) {
                   d.sharding = {T::grid, T::column_wise};
                 }),
                 "but plan.tables.t.sharding is grid, column_wise; "));
  CHECK(mentions(error([](Settings& s, Demand&) { s.default_type = T::column_wise; }),
                 "table t: the plan is row_wise, but plan.default is column_wise; "));
  CHECK(mentions(error([](Settings&, Demand& d) { d.kernel = K::fused; }),
                 "table t: the plan has kernel dense, but plan.tables.t.kernel is fused; "));
  CHECK(mentions(error([](Settings&, Demand& d) {
                   d.sharding = T::row_wise, d.ranks = {1, 3};
                 }),
                 "table t: the plan lies on ranks 3, 1, but plan.tables.t.ranks is 1, 3; "));
  CHECK(error([](Settings& s, Demand& d) {
          s.default_type = T::table_wise;  // is for tables that demand nothing else
          d.sharding = {T::grid, T::row_wise}, d.kernel = K::dense, d.min_partition = 32;
        }).empty());
  CHECK(error([](Settings&, Demand& d) { d.sharding = T::row_wise, d.ranks = {3, 1}; }).empty());

  write("column_wise", "fused", {{0, {0, 1024}, {0, 8}}, {1, {0, 1024}, {8, 16}}});
  CHECK(error([](Settings&, Demand&) {}).empty());  // the default of 32 columns is no demand
  CHECK(error([](Settings&, Demand& d) { d.min_partition = 8; }).empty());
  CHECK(mentions(error([](Settings&, Demand& d) { d.min_partition = 9; }),
                 "table t: the plan has its 16 columns in 2 pieces, but plan.tables.t.min_partition is 9; "));
  std::filesystem::remove(path);
  CHECK(mentions(error_of([&] { planning::plan_ranks(path); }), path + ": cannot read this plan"));
}

TEST_CASE("plan.reserve: is left free of plan.memory") {
  planning::Settings settings;
  settings.memory = 1000;
  settings.reserve = 0.25;
  REQUIRE(planning::topology_for(2, 2, settings).usable_memory() == 750);
}
