// SPDX-License-Identifier: Apache-2.0
// A plan that TorchRec's planner made for 4 ranks, 2 a node: json.dumps(dataclasses.asdict(plan), default=str).
#include <fstream>
#include <iterator>

#include "catch.hpp"
#include "errors.hpp"
#include "source_dir.hpp"
#include <tesserec/planning/plan_file.hpp>

using namespace tesserec;
using planning::Borders;
using planning::ShardingType;

namespace {

const std::string path = TESSEREC_SOURCE_DIR "/tests/planning/torchrec_plan.json";

std::string text() {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::string with(const std::string& what, const std::string& other) {
  std::string changed = text();
  const auto at = changed.find(what);
  REQUIRE(at != std::string::npos);
  return changed.replace(at, what.size(), other);
}

std::vector<embedding::EmbeddingBagConfig> tables() {
  std::vector<embedding::EmbeddingBagConfig> all;
  const auto add = [&](const char* name, Index rows, Index dim) {
    all.emplace_back().name = name;
    all.back().feature_names = {name};
    all.back().num_embeddings = rows, all.back().embedding_dim = dim;
  };
  add("few", 3, 16), add("copy", 50, 16), add("whole", 1000, 16), add("rows", 5000, 16);
  add("columns", 300, 128), add("node", 100000, 16), add("grid", 5000, 128);
  return all;
}

}  // namespace

TEST_CASE("read_plan: reads TorchRec's plan and rounds rows to the nearest block border") {
  for (const Borders borders : {Borders::exact, Borders::nearest}) {
    const auto plan = planning::read_plan(path, tables(), 4, borders);
    planning::check_plan(tables(), plan, 4);
    const ShardingType types[] = {ShardingType::row_wise, ShardingType::data_parallel, ShardingType::table_wise,
                                  ShardingType::row_wise, ShardingType::column_wise,   ShardingType::table_row_wise,
                                  ShardingType::grid};
    for (std::size_t t = 0; t < plan.size(); ++t) CHECK(plan[t].type == types[t]);
    CHECK(plan[1].kernel == planning::ComputeKernel::dense);
    CHECK(plan[1].shards.empty());
    CHECK(plan[2].shards == std::vector<planning::Shard>{{0, {0, 1024}, {0, 16}}});
    // A row block has 5 of the 5000 rows.
    CHECK(plan[3].shards ==
          std::vector<planning::Shard>{
              {0, {0, 250}, {0, 16}}, {1, {250, 500}, {0, 16}}, {2, {500, 750}, {0, 16}}, {3, {750, 1024}, {0, 16}}});
    CHECK(plan[4].shards == std::vector<planning::Shard>{{2, {0, 1024}, {0, 64}}, {3, {0, 1024}, {64, 128}}});
    CHECK(plan[5].shards == std::vector<planning::Shard>{{0, {0, 510}, {0, 16}}, {1, {510, 1024}, {0, 16}}});
    CHECK(plan[6].shards[2] == planning::Shard{0, {0, 500}, {64, 128}});
    CHECK(plan[0].shards.size() == 4);
    CHECK(plan[0].shards[3].blocks == Range{1024, 1024});  // TorchRec's empty shard
  }
  CHECK(planning::plan_ranks(path) == 4);
}

TEST_CASE("parse_plan: throws for TorchRec's plan of another model or form or for more ranks") {
  const auto read = [](const std::string& text, int ranks) {
    return error_of([&] { planning::parse_plan(text, "p.json", tables(), ranks); });
  };
  CHECK(read(text(), 8).empty());  // the plan does not name its number of ranks
  CHECK(read(text(), 3).find("p.json: plan of table ") == 0);
  CHECK(mentions(read(text(), 3), "rank 3 does not exist"));
  CHECK(read(with("[2500, 0], \"shard_sizes\": [2500, 64]", "[2500, 0], \"shard_sizes\": [2600, 64]"), 4)
            .find("p.json: table grid: the plan has rows = 5100, but this model has 5000") == 0);
  CHECK(read(with("rank:0/cuda:0", "cuda:0"), 4) ==
        "p.json: table whole: placement \"cuda:0\" is not of the form rank:R/DEVICE");
  const std::string on_disk = with("\"compute_kernel\": \"fused\"", "\"compute_kernel\": \"key_value\"");
  const planning::ShardingPlan read_plan = planning::parse_plan(on_disk, "p.json", tables(), 4);
  CHECK(std::ranges::count(read_plan, planning::ComputeKernel::disk, &planning::ParameterSharding::kernel) == 1);
  const std::string on_host = with("\"compute_kernel\": \"fused\"", "\"compute_kernel\": \"fused_uvm_caching\"");
  const planning::ShardingPlan host_plan = planning::parse_plan(on_host, "p.json", tables(), 4);
  CHECK(std::ranges::count(host_plan, planning::ComputeKernel::host_cached, &planning::ParameterSharding::kernel) == 1);
  CHECK(mentions(read(with("\"compute_kernel\": \"fused\"", "\"compute_kernel\": \"fused_uvm\""), 4),
                 "table whole: kernel \"fused_uvm\" is none of fused, dense"));
  CHECK(mentions(read(with("\"few\"", "\"less\""), 4), "the plan has no table \"few\""));
}
