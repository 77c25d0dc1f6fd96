// SPDX-License-Identifier: Apache-2.0
// Settings of tables and planner that the deck omits and the data provide.
#include <limits>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/data/batch.hpp>
#include <tesserec/data/make_source.hpp>
#include <tesserec/train/tables.hpp>

using namespace tesserec;

namespace {

const network::Settings dim_8{.embedding_dim = 8};

data::SourceInfo three_features() {
  data::SourceInfo data;
  data.description = "d.h5";
  data.dense_features = 5;
  data.features = {"a", "b", "c"};
  data.rows = {100, 20, 50};
  data.ids_per_bag = {1, 4, 0};
  return data;
}

}  // namespace

TEST_CASE("resolve_tables: takes from the data what the deck omits and nothing else") {
  const data::SourceInfo data = three_features();
  const auto plain = train::resolve_tables({}, data, dim_8);
  REQUIRE(plain.size() == 3);
  for (std::size_t f = 0; f < 3; ++f) {
    CHECK(plain[f].name == data.features[f]);
    CHECK(plain[f].feature_names == std::vector<std::string>{data.features[f]});
    CHECK(plain[f].num_embeddings == data.rows[f]);
    CHECK(plain[f].embedding_dim == 8);
  }
  const auto tables =
      train::resolve_tables({{"two", 0, 0, {"a", "b"}, {}, false, {}}, {"b", 30, 4, {}, {}, false, {}}}, data, dim_8);
  CHECK(tables[0].num_embeddings == 100);  // the largest of its features in any order
  CHECK(tables[1].feature_names == std::vector<std::string>{"b"});
  CHECK(tables[1].num_embeddings == 30);
  CHECK(tables[1].embedding_dim == 4);
  CHECK(error_of([&] {
          train::resolve_tables({{"x", 0, 0, {}, {}, false, {}}}, data, dim_8);
        }) == "table x: the data (d.h5) has no feature \"x\"; it has a, b, c");
}

TEST_CASE("id_limits: an id must lie in the smallest table that reads it") {
  const data::SourceInfo data = three_features();
  for (const bool small_first : {true, false}) {
    std::vector<embedding::EmbeddingBagConfig> tables = {{"small", 10, 4, {"a", "b"}, {}, false, {}},
                                                         {"large", 90, 4, {"b"}, {}, false, {}}};
    if (!small_first) std::swap(tables[0], tables[1]);
    CHECK(train::id_limits(tables, data) == std::vector<Index>{10, 10, 50});
  }
}

TEST_CASE("planner_settings: pooling factors are the deck's or the averages of the data") {
  const data::SourceInfo data = three_features();
  planning::Settings plan;
  plan.tables["given"].pooling_factor = 7;
  const auto settings = train::planner_settings(plan,
                                                {{"given", 100, 4, {"a"}, {}, false, {}},
                                                 {"two", 100, 4, {"a", "b"}, {}, false, {}},
                                                 {"c", 50, 4, {"c"}, {}, false, {}}},
                                                data);
  CHECK(settings.tables.at("given").pooling_factor == 7);
  CHECK(settings.tables.at("two").pooling_factor == 2.5);
  CHECK(settings.tables.at("c").pooling_factor == 1e-3);
}

TEST_CASE("planner_settings: exponents are the deck's or the planted model's or 0") {
  data::SyntheticSettings planted;
  planted.kind = data::SyntheticKind::planted;
  planted.samples = 10, planted.rows = {100, 50}, planted.zipf = 0.9;
  const std::vector<embedding::EmbeddingBagConfig> tables = {{"given", 100, 4, {"C1"}, {}, false, {}},
                                                             {"other", 50, 4, {"C2"}, {}, false, {}}};
  planning::Settings plan;
  plan.tables["given"].zipf = 0;
  const auto settings = train::planner_settings(plan, tables, data::synthetic_info(planted, data::Use::train));
  CHECK(settings.tables.at("given").zipf == 0);
  CHECK(settings.tables.at("other").zipf == 0.9);
  const auto unknown = train::planner_settings({}, {{"a", 100, 4, {"a"}, {}, false, {}}}, three_features());
  CHECK(unknown.tables.at("a").zipf == 0);
}

TEST_CASE("planner_settings: popular rows are counted unless the deck has an exponent") {
  const data::SourceInfo data = three_features();
  data::IdShares shares{true, "counted", {}};
  shares.features["a"] = {{0, 40}, {1, 40}, {5, 17}, {6, 1}, {99, 1}};
  shares.features["b"] = {{0, 1}};
  shares.features["c"] = {};
  planning::Settings plan;
  plan.tables["given"].zipf = 0.5;
  const std::vector<embedding::EmbeddingBagConfig> tables = {{"given", 100, 4, {"a"}, {}, false, {}},
                                                             {"both", 100, 4, {"a", "b"}, {}, false, {}},
                                                             {"c", 50, 4, {"c"}, {}, false, {}}};
  const auto settings = train::planner_settings(plan, tables, data, shares);
  CHECK(settings.tables.at("given").popular == nullptr);
  CHECK(settings.tables.at("c").popular == nullptr);
  const auto& popular = *settings.tables.at("both").popular;
  CHECK(popular.from == "counted");
  double rows = 0, share = 0;
  for (const planning::BlockRows& block : popular.rows) {
    rows += block.rows;
    share += block.rows * block.share;
    if (block.block == 0) CHECK(block.share == 0.41);  // of all 100 ids
    if (block.block == 5) CHECK(block.share == 0.17);
    if (block.block == 99) CHECK(block.share == 0.01);
    if (block.block == 7) CHECK(block.share == 0);
  }
  CHECK(rows == 100);
  CHECK(share == Approx(1));
}

TEST_CASE("id_shares: the planted model's frequent rows are those of its samples") {
  data::Settings settings;
  settings.synthetic.kind = data::SyntheticKind::planted;
  settings.synthetic.samples = 4000, settings.synthetic.rows = {20000}, settings.synthetic.zipf = 1.05;
  const auto info = data::synthetic_info(settings.synthetic, data::Use::train);
  const data::IdShares shares = data::id_shares(settings, info, 3);
  CHECK(shares.from == "Zipf 1.05");
  std::vector<double> counts(20000);
  const auto source = data::make_source(settings, data::Use::train, {.batch_size = 4000, .seed = 3});
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  for (Index i = 0; i < 4000; ++i) ++counts[batch.sparse.values(batch.sparse.begin(0, i))];
  for (const auto& [id, share] : shares.features.at("C1"))
    if (share > 0.01) CHECK(counts[id] / 4000 == Approx(share).epsilon(0.25));
}
