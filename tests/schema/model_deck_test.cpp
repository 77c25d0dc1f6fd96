// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/network/model_types.hpp>
#include <tesserec/schema.hpp>

using namespace tesserec;
using schema::read_model;

namespace {

const std::string deck = R"([run]
name = "any"
[model]
type = "network"
embedding_dim = 4
exchange_forward = "bf16"
[[model.layer]]
name = "all"
type = "cat"
inputs = ["dense", "pooled"]
[[model.layer]]
name = "top"
type = "mlp"
inputs = ["all"]
widths = [8, 1]
[optimizer]
max_norm = 1.0
[optimizer.dense]
type = "adam"
[optimizer.sparse]
type = "adagrad"
lr = 0.5
[[table]]
name = "user"
rows = 30
optimizer = {eps = 0.25}
[[table]]
name = "item"
features = ["bought", "seen"]
pooling = "mean"
)";

std::string refusal(const std::string& text) {
  return error_of([&] { read_model(text, "d.toml"); });
}

}  // namespace

TEST_CASE("read_model: reads a deck's model without its job") {
  const schema::ModelDeck d = read_model(deck, "d.toml");
  CHECK(d.model.type == "network");
  CHECK(d.model.embedding_dim == 4);
  REQUIRE(d.model.layers.size() == 2);
  CHECK(d.model.layers[1].widths == std::vector<Index>{8, 1});
  REQUIRE(d.tables.size() == 2);
  CHECK(d.tables[0].num_embeddings == 30);
  REQUIRE(d.tables[0].optimizer);
  CHECK(d.tables[0].optimizer->type == optim::Type::adagrad);
  CHECK(d.tables[0].optimizer->lr == 0.5);
  CHECK(d.tables[0].optimizer->eps == 0.25);
  CHECK(d.tables[1].feature_names == std::vector<std::string>{"bought", "seen"});
  CHECK_FALSE(d.tables[1].optimizer);
  CHECK(d.at("model.layer.top.widths") == "d.toml:15: model.layer.top.widths");
  CHECK(d.at("model.top") == "d.toml:3: model.top");
  CHECK(d.located("model.embedding_dim: too wide") == "d.toml:5: model.embedding_dim: too wide");
  CHECK(d.located("somewhere: it rains") == "somewhere: it rains");
  schema::Lines plan{.file = "d.toml", .lines = {{"plan.tables.a", "d.toml:3"}}};
  plan.lines["plan.tables.a.ranks"] = "--set 1";
  plan.lines["plan.tables.a.b"] = "d.toml:9";
  plan.blocks = d.blocks;
  CHECK(plan.located("plan.tables.a.ranks: rank 9") == "--set 1: plan.tables.a.ranks: rank 9");
  CHECK(plan.located("plan.tables.a: grows") == "d.toml:3: plan.tables.a: grows");
  CHECK(plan.located("plan.tables.a.b.kernel has") == "d.toml:9: plan.tables.a.b.kernel has");
  CHECK(plan.located("plan.tables.ab: grows") == "plan.tables.ab: grows");
  REQUIRE(d.given.size() > 10);
  CHECK(d.given[0].key == "run.name");
  CHECK(d.given[0].value == "\"any\"");
}

TEST_CASE("read_model: gives absent keys their defaults") {
  const schema::ModelDeck d = read_model("[run]\n", "d.toml");
  CHECK(d.model.top == network::Settings{}.top);
  CHECK(d.tables.empty());
}

TEST_CASE("read_model: throws with file and line and key on a mistake or an unknown key") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"", "d.toml: the deck is empty"},
      {"[model\n", "d.toml:1: not valid TOML"},
      {"[modle]\n", "d.toml:1: modle is unknown; did you mean model?"},
      {"[model]\nembeding_dim = 4\n", "d.toml:2: model.embeding_dim is unknown; did you mean model.embedding_dim?"},
      {"[model]\nexchange_sideways = \"bf16\"\n", "d.toml:2: model.exchange_sideways is unknown"},
      {"[model]\nembedding_dim = 0\n", "d.toml:2: model.embedding_dim must be an integer, 1 to 65536"},
      {"[model]\ncross_rank = 4\n", "d.toml:2: model.cross_rank does not apply to model.type = \"dlrm\""},
      {"[model]\nembedding_dim = 8\nbottom = [32, 16]\n", "d.toml:3: model.bottom is 32-16"},
      {"[model]\nloss = \"wbce\"\nloss_weights = [0, 0]\n", "d.toml:3: model.loss_weights are both 0"},
      {"[[model.layer]]\nname = \"a\"\n", "d.toml:1: [[model.layer]] does not apply to model.type = \"dlrm\""},
      {"[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ntype = \"mpl\"\n", "d.toml:5: model.layer.a.type"},
      {"[optimizer]\nmax_morn = 1\n", "d.toml:2: optimizer.max_morn is unknown; did you mean optimizer.max_norm?"},
      {"[optimizer.sparse]\nlr = -1\n", "d.toml:2: optimizer.sparse.lr must be a finite number"},
      {"[[table]]\nname = \"a\"\nrow = 3\n", "d.toml:3: table.a.row is unknown; did you mean table.a.rows?"},
      {"[[table]]\nname = \"a\"\n[[table]]\nname = \"a\"\n",
       "d.toml:4: table.a.name: two tables are called \"a\"; rename one"},
      {"[[table]]\nname = \"a\"\nfeatures = [\"x\", \"x\"]\n", "d.toml:3: table.a.features has \"x\" twice"},
      {"[[table]]\nname = \"a\"\noptimizer = {lr = 1, momentun = 1}\n",
       "d.toml:3: table.a.optimizer.momentun is unknown"},
  };
  for (const auto& [text, message] : bad) {
    INFO(text << "\nmessage: " << refusal(text));
    CHECK(refusal(text).rfind(message, 0) == 0);
  }
}

TEST_CASE("nearest: returns the nearest word if it is near") {
  CHECK(schema::nearest("modle", {"data", "model"}) == "model");
  CHECK(schema::nearest("modle", {"data", "train"}).empty());
  CHECK(schema::edit_distance("lanes", "lnaes") == 1);
}
