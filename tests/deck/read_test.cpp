// SPDX-License-Identifier: Apache-2.0
#include <filesystem>

#include "catch.hpp"
#include "decks.hpp"
#include "source_dir.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/deck.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/network/model_types.hpp>

using namespace tesserec;
using deck::Deck;
using deck::parse_deck;

TEST_CASE("parse_deck: a full deck reaches the settings structs") {
  const Deck d = parse_deck(test::full_deck, "full.toml");
  CHECK(d.run.name == "full");
  CHECK(d.run.seed == 7);
  CHECK(d.data.synthetic.kind == data::SyntheticKind::planted);
  CHECK(d.data.synthetic.rows == std::vector<Index>{10, 20, 30});
  CHECK(d.data.synthetic.zipf == 1.0);
  CHECK(d.preprocess.train == std::vector<std::string>{"raw/*.csv", "more.csv"});
  CHECK(d.preprocess.delimiter == "\t");
  REQUIRE(d.preprocess.columns.size() == 3);
  CHECK(d.preprocess.columns[0].transform == preprocess::Transform::standardise);
  CHECK(d.preprocess.columns[2].negative == std::vector<std::string>{"<=50K"});
  CHECK(d.model.top == std::vector<Index>{32, 1});
  CHECK(d.model.loss_settings.weights == std::vector<double>{1.0, 2.5});
  REQUIRE(d.tables.size() == 2);
  CHECK(d.tables[0].num_embeddings == 3000000000);
  CHECK(d.tables[0].pooling == embedding::PoolingType::mean);
  CHECK(d.tables[0].feature_names == std::vector<std::string>{"a", "b"});
  CHECK(d.tables[1].feature_names == std::vector<std::string>{"second.x"});
  CHECK_FALSE(d.tables[1].optimizer);
  CHECK(d.optimizer.dense.type == optim::Type::adam);
  CHECK(d.optimizer.sparse.lr == 0.05);
  CHECK(d.plan.default_type == planning::ShardingType::row_wise);
  CHECK(d.plan.tables.at("first").ranks == std::vector<int>{1});
  CHECK(d.plan.tables.at("second.x").kernel.list == std::vector{planning::ComputeKernel::dense});
  CHECK(d.evaluate.metrics == std::vector<std::string>{"auc", "ne"});
}

TEST_CASE("parse_deck: a table's optimizer starts from optimizer.sparse") {
  const Deck d = parse_deck(test::full_deck, "full.toml");
  REQUIRE(d.tables[0].optimizer);
  CHECK(d.tables[0].optimizer->type == optim::Type::rowwise_adagrad);
  CHECK(d.tables[0].optimizer->eps == 1e-6);
  CHECK(d.tables[0].optimizer->lr == 0.05);
  CHECK(d.tables[0].optimizer->initial_accumulator == 0.1);
}

TEST_CASE("parse_deck: absent keys have the defaults of the structs") {
  const Deck d = parse_deck("[run]\n", "short.toml");
  CHECK(d.run.name == train::RunSettings{}.name);
  CHECK(d.train.batch_size == train::Settings{}.batch_size);
  CHECK(d.model.bottom == model::Settings{}.bottom);
  CHECK_FALSE(d.plan.default_type);
  CHECK(d.tables.empty());
}

TEST_CASE("parse_deck: accepts a byte order mark and CRLF and a missing last newline") {
  CHECK(parse_deck("\xef\xbb\xbf[train]\r\nlanes = 4\r\n", "x").train.lanes == 4);
  CHECK(parse_deck("[train]\nlanes = 4", "x").train.lanes == 4);
}

TEST_CASE("parse_deck: takes one text as a list of one and dotted keys as blocks") {
  const Deck d = parse_deck("data.train = \"a.h5\"\noptimizer.sparse.lr = 1\n", "x");
  CHECK(d.data.train == std::vector<std::string>{"a.h5"});
  CHECK(d.optimizer.sparse.lr == 1.0);
}

TEST_CASE("at: names the line of a key or of its block") {
  const Deck d = parse_deck(test::full_deck, "full.toml", {"train.epochs=2"});
  CHECK(d.at("model.bottom") == "full.toml:33: model.bottom");
  CHECK(d.at("model.itself") == "full.toml:31: model.itself");
  CHECK(d.at("train.epochs") == "--set 1: train.epochs");
  CHECK(Deck{}.at("model.bottom") == "deck: model.bottom");
}

TEST_CASE("effective_deck: reads back to itself") {
  for (const std::string& text : {test::full_deck, std::string("[run]\n")}) {
    const Deck first = parse_deck(text, "first");
    const std::string effective = deck::effective_deck(first);
    const Deck second = parse_deck(effective, "second");
    CHECK(deck::effective_deck(second) == effective);
    CHECK(second.tables.size() == first.tables.size());
    CHECK(second.preprocess.missing == first.preprocess.missing);
    CHECK(second.plan.tables.size() == first.plan.tables.size());
    CHECK(second.optimizer.sparse.lr == first.optimizer.sparse.lr);
  }
}

TEST_CASE("model.interaction = cat: lets the bottom MLP have any last width") {
  const std::string text = "[model]\nembedding_dim = 8\nbottom = [32, 5]\n";
  CHECK_THROWS_AS(parse_deck(text, "x"), Error);
  CHECK_NOTHROW(parse_deck(text + "interaction = \"cat\"\n", "x"));
}

TEST_CASE("effective_deck: leaves open the keys that the deck leaves open") {
  const std::vector<std::string> keys = {"data.synthetic.variable_bags=true", "plan.tables.first.kernel=fused",
                                         "plan.tables.first.min_partition=32"};
  const Deck open = parse_deck(test::full_deck, "x"), set = parse_deck(test::full_deck, "x", keys);
  for (const Deck* deck : {&open, &set}) {
    const Deck again = parse_deck(deck::effective_deck(*deck), "y");
    CHECK(again.data.synthetic.variable_bags.has_value() == (deck == &set));
    CHECK(again.plan.tables.at("first").kernel.list.empty() == (deck == &open));
    CHECK(again.plan.tables.at("first").min_partition.has_value() == (deck == &set));
  }
}

namespace {

/// Returns a deck with a model of this type, which may be any except network.
Deck deck_of(const network::ModelType& type) {
  const auto given = [&](const std::string& key, const std::string& value) {
    return std::count(type.keys.begin(), type.keys.end(), key) > 0 ? key + " = \"" + value + "\"\n" : "";
  };
  return parse_deck(
      "[model]\ntype = \"" + type.name + "\"\n" + given("item", "pooled.a") + given("history", "unpooled.b"), "x");
}

}  // namespace

namespace {

const std::string swept = R"([data.synthetic]
kind = "planted"
samples = 100
evaluate_samples = 10
rows = [3]
[train]
steps = 90
[sweep]
method = "halton"
points = 5
launcher = "srun"
[sweep.halving]
first_steps = 10
[sweep.keys]
"optimizer.dense.lr" = {min = 1e-3, max = 3, scale = "log"}
"model.top" = [[8, 1], [16, 1]]
"optimizer.dense.type" = ["sgd", 'adam']
)";

}  // namespace

TEST_CASE("effective_deck: keeps the keys of a sweep in order and its values in one form") {
  const Deck deck = parse_deck(swept, "x"), again = parse_deck(deck::effective_deck(deck), "y");
  CHECK(deck::effective_deck(again) == deck::effective_deck(deck));
  REQUIRE(again.sweep.keys.size() == 3);
  CHECK(again.sweep.keys[0].path == "optimizer.dense.lr");
  CHECK(again.sweep.keys[0].log);
  CHECK(again.sweep.keys[0].max == 3);
  CHECK(again.sweep.keys[1].values == std::vector<std::string>{"[8, 1]", "[16, 1]"});
  CHECK(again.sweep.keys[2].values == std::vector<std::string>{"\"sgd\"", "\"adam\""});
  CHECK(again.sweep.halving.first_steps == 10);
  CHECK(again.sweep.launcher == std::vector<std::string>{"srun"});
  CHECK(deck::effective_deck(parse_deck(test::full_deck, "x")).find("[sweep") == std::string::npos);
}

TEST_CASE("effective_deck: holds every key of the schema that is set") {
  std::string effective = deck::effective_deck(
      parse_deck(test::full_deck, "full.toml",
                 {"data.synthetic.variable_bags=true", "plan.tables.first.min_partition=8", "plan.replicas=[1, 2]",
                  "preprocess.fill_value=2", "preprocess.column.age.fill_value=1.5",
                  "preprocess.join=[{file = \"a.csv\", on = [\"b\"], columns = [\"age\"]}]",
                  "import=[{name = \"logit\", from = \"head.weight\"}]",
                  "preprocess.sequence=[{name = \"past\", user = \"b\", item = \"c\", time = \"d\"}]"}));
  for (const network::ModelType& type : network::model_types())  // each type reads keys of its own
    if (type.name != "network") effective += deck::effective_deck(deck_of(type));
  for (const layers::LayerType& type : layers::layer_types())
    effective += deck::effective_deck(
        parse_deck("[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ninputs = \"dense\"\ntype = \"" +
                       type.name + "\"\n",
                   "x"));
  for (const losses::LossType& type : losses::loss_types())
    effective += deck::effective_deck(parse_deck("[model]\nloss = \"" + type.name + "\"\n", "x"));
  for (const optim::PolicyInfo& policy : optim::policies())
    effective +=
        deck::effective_deck(parse_deck("[[schedule.stages]]\npolicy = \"" + policy.name + "\"\nmax_steps = 3\n", "x"));
  for (const optim::TypeInfo& type : optim::types())
    effective += deck::effective_deck(parse_deck("[optimizer.sparse]\ntype = \"" + type.name + "\"\n", "x"));
  effective += deck::effective_deck(parse_deck(swept, "x"));
  effective += deck::effective_deck(
      parse_deck("[data.synthetic]\nkind = \"reference\"\nsamples = 9\nrows = [9]\nids = \"gaussian\"\ngaussian_mu = "
                 "4\ngaussian_sigma = 2\ngaussian_min = 1\ngaussian_max = 8\n",
                 "x"));
  effective += deck::effective_deck(
      parse_deck("[[table]]\nname = \"t\"\ngrowing = true\nrows = 2000\neviction = \"ttl\"\nttl = 3\n", "x"));
  for (const deck::BlockInfo& block : deck::schema())
    for (const deck::KeyInfo& key : block.keys) {
      INFO(block.path << "." << key.name);
      const char* const before = block.path != "sweep.keys" ? "\n" : key.name == "min" ? "{" : ", ";  // in one line
      CHECK(effective.find(before + key.name + " = ") != std::string::npos);
    }
}

TEST_CASE("as_network: rebuilds the model layer by layer") {
  for (const network::ModelType& type : network::model_types()) {
    if (type.name == "network") continue;
    INFO(type.name);
    const Deck deck = deck_of(type);
    std::vector<layers::LayerSettings> layers = network::layers_of(deck.model);
    const auto mlp = std::find_if(layers.begin(), layers.end(), [](const auto& layer) { return layer.type == "mlp"; });
    REQUIRE(mlp != layers.end());
    mlp->widths[0] = 99;
    const Deck network =
        parse_deck(deck::effective_deck(deck::as_network(deck)), "y", {"model.layer." + mlp->name + ".widths.0=99"});
    REQUIRE(network.model.type == "network");
    CHECK(network.model.layers == layers);
  }
}

TEST_CASE("effective_deck: keeps the stages of the schedule") {
  const Deck d = parse_deck(
      "[[schedule.stages]]\npolicy = \"constant\"\nmax_steps = 2\nvalue = 0.1\n"
      "[[schedule.stages]]\npolicy = \"linear\"\nmax_steps = 9\nvalue = 0.1\nend_value = 0.5\nstart_steps = 2\n"
      "[[schedule.stages]]\npolicy = \"cosine\"\nmax_steps = 30\nscale = 0.5\nperiod = 7\n",
      "x");
  const Deck again = parse_deck(deck::effective_deck(d), "y");
  REQUIRE(again.schedule.stages.size() == 3);
  for (Index step = 1; step <= 32; ++step)
    CHECK(optim::scheduled_rate(again.schedule, 1.0, step) == optim::scheduled_rate(d.schedule, 1.0, step));
  CHECK(optim::scheduled_rate(d.schedule, 1.0, 10) == 0.5);
  CHECK(deck::effective_deck(again) == deck::effective_deck(d));
}

TEST_CASE("effective_deck: keeps the bits of numbers") {
  for (const char* number : {"0.1", "1e-300", "5e-324", "123456789.123456789", "1e22", "3"}) {
    const Deck d = parse_deck(std::string("[optimizer.dense]\ntype = \"adagrad\"\nweight_decay = ") + number, "x");
    CHECK(parse_deck(deck::effective_deck(d), "y").optimizer.dense.weight_decay == d.optimizer.dense.weight_decay);
  }
}

TEST_CASE("require_data and require_preprocess: throw if the deck lacks what the command needs") {
  CHECK_THROWS_AS(deck::require_data(parse_deck("[run]\n", "x")), Error);
  CHECK_THROWS_AS(deck::require_preprocess(parse_deck("[run]\n", "x")), Error);
  CHECK_NOTHROW(deck::require_data(parse_deck(test::full_deck, "x")));
  CHECK_NOTHROW(deck::require_preprocess(parse_deck(test::full_deck, "x")));
}

TEST_CASE("read_deck: accepts every deck in inputs/") {
  const std::filesystem::path inputs = std::filesystem::path(TESSEREC_SOURCE_DIR) / "inputs";
  if (!std::filesystem::is_directory(inputs)) return;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(inputs)) {
    if (entry.path().extension() != ".toml") continue;
    INFO(entry.path().string());
    CHECK_NOTHROW(deck::read_deck(entry.path().string()));
  }
}

TEST_CASE("Deck::located: names the line of a block's key that may occur several times") {
  const Deck deck = parse_deck(R"([preprocess]
train = ["a.csv"]
header = true
format = "table"
[[preprocess.column]]
name = "a"
kind = "label"
positive = ["1"]
negative = ["0"]
[[preprocess.column]]
name = "a b: c"
kind = "category"
[[preprocess.column]]
name = "two"
kind = "category"
[[preprocess.join]]
file = "x.csv"
on = ["a b: c"]
columns = ["two"]
[[preprocess.sequence]]
name = "past"
user = "two"
item = "two"
time = "when"
)",
                               "d.toml");
  const std::vector<std::pair<std::string, std::string>> places = {
      {"preprocess.header is odd", "d.toml:3: "},
      {"preprocess.join.0.file: x.csv is a folder", "d.toml:17: "},
      {"preprocess.join.0.on names", "d.toml:18: "},
      {"preprocess.join.0 is odd", "d.toml:16: "},
      {"preprocess.join.0.memory is low", "d.toml:16: "},
      {"preprocess.column a: kind is odd", "d.toml:7: "},
      {"preprocess.column a b: c: is odd", "d.toml:10: "},
      {"preprocess.column two: kind is odd", "d.toml:15: "},
      {"preprocess.column: odd", "d.toml:5: "},
      {"preprocess.sequence.past.user: odd", "d.toml:22: "},
      {"preprocess.split.by: odd", "d.toml:1: "},
      {"preprocess.column three: odd", ""},
      {"preprocess.columns: odd", ""}};
  for (const auto& [message, where] : places) {
    INFO(message);
    CHECK(deck.located(message) == where + message);
  }
  CHECK(deck.at("preprocess.column") == "d.toml:5: preprocess.column");
  CHECK(deck.at("preprocess.join.0.memory") == "d.toml:16: preprocess.join.0.memory");
}
