// SPDX-License-Identifier: Apache-2.0
// describe(), the text of a plan: groups of equal ranks, and the reason for each table's type.
#include <algorithm>

#include "catch.hpp"
#include "errors.hpp"
#include "four_tables.hpp"

using namespace tesserec;
using planned::four_tables, planned::Given;
using planning::ShardingType;

namespace {

std::string text_of(const Given& given, const std::vector<embedding::EmbeddingBagConfig>& tables) {
  return planning::describe(tables, given.planner().plan(tables));
}

Index lines(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_CASE("describe: ranks with equal numbers share a line") {
  Given given;
  given.ranks = 1024;
  given.batch = 1024;
  auto tables = four_tables();
  tables.resize(1);
  given.settings.tables["large_0"].sharding = ShardingType::row_wise;  // four rows a rank
  const std::string text = text_of(given, tables);
  INFO(text);
  CHECK(mentions(text, "  0-1023\n"));
  CHECK(mentions(text, ": set by the deck"));
  CHECK(lines(text) == 5);  // heads, a group, the bound, a table
  CHECK(mentions(text, "lookup"));
  CHECK(mentions(text, "exchange"));
}

TEST_CASE("describe: names the slowest and fullest and median and fastest rank of many groups") {
  Given given;
  given.ranks = 64;
  given.batch = 4096;
  std::vector<embedding::EmbeddingBagConfig> tables;
  for (Index t = 0; t < 40; ++t) {
    tables.push_back(four_tables()[0]);
    tables.back().name = "t" + std::to_string(t);
    tables.back().num_embeddings = 5000 + 1000 * t;
    given.settings.tables[tables.back().name].pooling_factor = double(1 + t);
    given.settings.tables[tables.back().name].sharding = ShardingType::table_wise;
  }
  const std::string text = text_of(given, tables);
  INFO(text);
  for (const char* label : {", slowest", ", fullest", ", median time", ", fastest", "  of 64 ranks in "})
    CHECK(mentions(text, label));
  CHECK(lines(text) == 8 + 40);
}

TEST_CASE("ProvenPlan: reasons name what decided a table's type") {
  Given given;
  given.settings.reserve = 0;
  given.settings.memory = 4200000;
  auto tables = four_tables();
  tables[0].num_embeddings = 12288;  // 3.1 MB, and messages
  tables[0].embedding_dim = 128;
  tables.resize(1);
  CHECK(given.planner().plan(tables).reasons.at(0) == "does not fit one rank");
  given.ranks = 1;
  given.settings.memory = 0;
  CHECK(given.planner().plan(tables).reasons.at(0) == "one rank");
  given.ranks = 8;
  given.settings.costs.inside_latency = 1e-2;
  tables[0].num_embeddings = 900;
  const auto proven = given.planner().plan(tables);
  const bool copied = proven.plan[0].type == ShardingType::data_parallel;
  CHECK(proven.reasons.at(0) == (copied ? "900 rows, copies are cheap" : "cheapest whole"));
  CHECK(given.planner().evaluate(tables, proven.plan).reasons.empty());
}
