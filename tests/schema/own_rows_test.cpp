// SPDX-License-Identifier: Apache-2.0
// Own keys of registered types, as keys of a deck.
#include <algorithm>
#include <optional>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/layers/layer_types.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/network/model_types.hpp>
#include <tesserec/schema.hpp>

using namespace tesserec;
using schema::KeyInfo;
using schema::read_model;

namespace {

std::optional<layers::LayerSettings> made_layer;  // the settings that the maker received last
std::optional<losses::LossSettings> made_loss;

/// Registers the types before any deck is read, as a program's main does.
const bool added = [] {
  const auto layer = [](const layers::LayerSettings& settings, const std::vector<layers::InputShape>&) {
    made_layer = settings;
    return std::unique_ptr<layers::Layer>();
  };
  layers::add_layer_type(
      {.name = "mine",
       .text = "a layer of the test.",
       .keys = {"rate"},
       .make = layer,
       .own = {
           {.name = "heads", .preset = Index{4}, .least = 1, .most = 16, .unit = "heads", .sentence = "How many."},
           {.name = "slope", .preset = 0.5, .least = -1, .most = 1, .sentence = "Of the line."},
           {.name = "centered", .preset = true, .sentence = "Takes the mean away."},
           {.name = "mode", .preset = "sum", .choices = {"sum", "mean"}, .sentence = "Of all heads."},
           {.name = "note", .preset = "", .sentence = "Any text."},
           {.name = "shape", .preset = std::vector<Index>{2, 3}, .least = 1, .sentence = "Of a matrix."},
           {.name = "parts", .preset = std::vector<std::string>{"a"}, .choices = {"a", "b"}, .sentence = "Some."}}});
  layers::add_layer_type(
      {.name = "other",
       .text = "another layer.",
       .keys = {},
       .make = layer,
       .own = {
           {.name = "heads", .preset = Index{2}, .least = 2, .most = 3, .unit = "heads", .sentence = "Two or three."},
           {.name = "mode", .preset = "max", .choices = {"mean", "max"}, .sentence = "Of both."}}});
  const auto loss = [](const losses::LossSettings& settings) {
    made_loss = settings;
    return std::unique_ptr<losses::LossFunction>();
  };
  losses::add_loss_type({.name = "tilted",
                         .text = "a loss of the test.",
                         .keys = {"loss_threshold"},
                         .make = loss,
                         .own = {{.name = "loss_tilt", .preset = 1.0, .most = 10, .sentence = "How steep."}}});
  network::add_model_type({.name = "stack",
                           .text = "layers on each other.",
                           .keys = {"top"},
                           .layers =
                               [](const network::Settings& s) {
                                 return std::vector<layers::LayerSettings>(s.own<Index>("depth"),
                                                                           {.name = "a", .type = "cat"});
                               },
                           .own = {{.name = "depth", .preset = Index{3}, .least = 1, .sentence = "How many layers."}}});
  return true;
}();

const std::string layers_head = "[model]\ntype = \"network\"\n[[model.layer]]\nname = \"a\"\ninputs = \"dense\"\n";

layers::LayerSettings layer_of(const std::string& lines) {
  return read_model(layers_head + lines, "d.toml").model.layers.at(0);
}

std::string refusal(const std::string& text) {
  return error_of([&] { read_model(text, "d.toml"); });
}

KeyInfo info_of(const std::vector<KeyInfo>& keys, const std::string& name) {
  const auto key = std::find_if(keys.begin(), keys.end(), [&](const KeyInfo& info) { return info.name == name; });
  REQUIRE(key != keys.end());
  return *key;
}

}  // namespace

TEST_CASE("read_model: reads own keys from a deck and gives them their presets otherwise") {
  layers::make_layer(layer_of("type = \"mine\"\nheads = 7\nslope = -1\ncentered = false\nmode = \"mean\"\n"
                              "note = \"a \\\"b\\\"\"\nshape = [4]\nparts = \"b\"\n"),
                     {});
  CHECK(made_layer->own<Index>("heads") == 7);
  CHECK(made_layer->own<double>("slope") == -1.0);
  CHECK_FALSE(made_layer->own<bool>("centered"));
  CHECK(made_layer->own<std::string>("mode") == "mean");
  CHECK(made_layer->own<std::string>("note") == "a \"b\"");
  CHECK(made_layer->own<std::vector<Index>>("shape") == std::vector<Index>{4});
  CHECK(made_layer->own<std::vector<std::string>>("parts") == std::vector<std::string>{"b"});
  layers::make_layer(layer_of("type = \"other\"\n"), {});
  CHECK(made_layer->own<Index>("heads") == 2);
  CHECK(error_of([] { made_layer->own<double>("slope"); }) ==
        "layer type \"other\": the key \"slope\" is not registered");

  const network::Settings model = read_model(
                                      "[model]\ntype = \"stack\"\ndepth = 5\nloss = \"tilted\"\nloss_tilt = 2\n"
                                      "loss_threshold = 0.25\n",
                                      "d.toml")
                                      .model;
  CHECK(network::layers_of(model).size() == 5);
  losses::make_loss(model.loss, model.loss_settings);
  CHECK(made_loss->own<double>("loss_tilt") == 2.0);
  CHECK(made_loss->threshold == 0.25);
  CHECK(network::layers_of(read_model("[model]\ntype = \"stack\"\n", "d.toml").model).size() == 3);
}

TEST_CASE("read_model: throws with the line if an own key is out of range or of another type") {
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"type = \"mine\"\nheads = 0\n",
       "d.toml:7: model.layer.a.heads must be an integer, 1 to 16, but is the integer 0"},
      {"type = \"mine\"\nheads = 2.0\n", "d.toml:7: model.layer.a.heads must be an integer, 1 to 16"},
      {"type = \"other\"\nheads = 7\n", "d.toml:7: model.layer.a.heads must be an integer, 2 to 3"},
      {"type = \"mine\"\nslope = 1.5\n", "d.toml:7: model.layer.a.slope must be a finite number, -1 to 1"},
      {"type = \"mine\"\ncentered = 1\n", "d.toml:7: model.layer.a.centered must be true or false"},
      {"type = \"mine\"\nmode = \"means\"\n",
       "d.toml:7: model.layer.a.mode must be one of sum | mean, but is the text "
       "\"means\"; did you mean \"mean\"?"},
      {"type = \"mine\"\nshape = [0]\n", "d.toml:7: model.layer.a.shape[0] must be an integer, at least 1"},
      {"type = \"mine\"\nhead = 3\n", "d.toml:7: model.layer.a.head is unknown; did you mean model.layer.a.heads?"},
      {"type = \"other\"\nslope = 0\n",
       "d.toml:7: model.layer.a.slope does not apply to type = \"other\", which reads heads, mode"},
      {"type = \"cat\"\nheads = 3\n",
       "d.toml:7: model.layer.a.heads does not apply to type = \"cat\", which reads no key"},
      {"type = \"mine\"\nrank = 3\n",
       "d.toml:7: model.layer.a.rank does not apply to type = \"mine\", which reads rate, heads, "},
  };
  for (const auto& [lines, message] : bad) {
    INFO(refusal(layers_head + lines));
    CHECK(refusal(layers_head + lines).rfind(message, 0) == 0);
  }
  CHECK(refusal("[model]\ndepth = 3\n").rfind("d.toml:2: model.depth does not apply to model.type = \"dlrm\"", 0) == 0);
  CHECK(refusal("[model]\nloss_tilt = 3\n")
            .rfind("d.toml:2: model.loss_tilt does not apply to model.loss = \"bce\"", 0) == 0);
}

TEST_CASE("write_keys and write_layers: write own keys in their type and read_model reads them again") {
  const auto written = [](const schema::ModelDeck& deck) {
    std::string text = "[model]\n" + schema::write_keys(schema::model_keys(), deck.model);
    schema::write_layers(deck.model, text);
    return text;
  };
  const std::string text = written(read_model(layers_head + "type = \"mine\"\nheads = 7\nnote = \"a\\\\b\"\n"
                                                            "[[model.layer]]\nname = \"b\"\ninputs = \"a\"\n"
                                                            "type = \"other\"\n",
                                              "d.toml"));
  for (const char* line : {"\nheads = 7\n", "\nslope = 0.5\n", "\ncentered = true\n", "\nmode = \"sum\"\n",
                           "\nnote = \"a\\\\b\"\n", "\nshape = [2, 3]\n", "\nparts = [\"a\"]\n", "\nheads = 2\n"})
    CHECK(mentions(text, line));
  CHECK(mentions(text.substr(text.find("name = \"b\"")), "mode = \"max\"\n"));
  CHECK_FALSE(mentions(text, "depth"));
  CHECK(written(read_model(text, "again")) == text);
  const std::string stack = written(read_model("[model]\ntype = \"stack\"\nloss = \"tilted\"\n", "d.toml"));
  CHECK(mentions(stack, "\ndepth = 3\n"));
  CHECK(mentions(stack, "\nloss_tilt = 1.0\n"));
}

TEST_CASE("layer_block and model_keys: describe own keys with the facts of each type") {
  const std::vector<KeyInfo> keys = schema::layer_block().keys;
  const KeyInfo heads = info_of(keys, "heads");
  CHECK(heads.type == "integer");
  CHECK(heads.default_value == "mine: 4; other: 2");
  CHECK(heads.range == "mine: 1 to 16; other: 2 to 3");
  CHECK(heads.unit == "heads");
  CHECK(heads.sentence == "mine: How many. other: Two or three.");
  const KeyInfo mode = info_of(keys, "mode");
  CHECK(mode.type == "choice");
  CHECK(schema::choices_of(mode) == std::vector<std::string>{"sum", "mean", "max"});
  CHECK(info_of(keys, "slope").range == "-1 to 1");
  CHECK(info_of(keys, "slope").sentence == "mine: Of the line.");
  CHECK(info_of(keys, "parts").type == "list of choices");
  CHECK(schema::choices_of(info_of(keys, "parts")) == std::vector<std::string>{"a", "b"});
  CHECK(mentions(info_of(keys, "type").range, "mine | other"));
  CHECK(info_of(schema::infos(schema::model_keys()), "depth").default_value == "3");
  CHECK(info_of(schema::infos(schema::model_keys()), "loss_tilt").sentence == "tilted: How steep.");
}

TEST_CASE("add_layer_type and its like: throw if an own key has the name of a built-in key") {
  const auto is_taken = [](const auto& add) { return mentions(error_of(add), "built-in key of the same block"); };
  const auto own = [](const std::string& name) {
    return std::vector<OwnKey>{{.name = name, .preset = true, .sentence = "x."}};
  };
  const std::vector<std::string> of_types = {"heads", "slope", "centered", "mode", "note", "shape", "parts", "depth"};
  const auto is_own = [&](const KeyInfo& key) {
    return std::find(of_types.begin(), of_types.end(), key.name) != of_types.end();
  };
  int layer_keys = 0, model_keys = 0;
  for (const KeyInfo& key : schema::layer_block().keys) {
    INFO(key.name);
    if (is_own(key)) continue;
    ++layer_keys;
    CHECK(is_taken(
        [&] { layers::add_layer_type({.name = "x", .text = "", .keys = {}, .make = {}, .own = own(key.name)}); }));
  }
  for (const KeyInfo& key : schema::infos(schema::model_keys())) {
    INFO(key.name);
    if (is_own(key) || key.name == "loss_tilt") continue;
    ++model_keys;
    const std::string message = error_of(
        [&] { network::add_model_type({.name = "x", .text = "", .keys = {}, .layers = {}, .own = own(key.name)}); });
    CHECK((mentions(message, "built-in key") || mentions(message, "begins with \"loss\"")));
    if (key.name.starts_with("loss_"))
      CHECK(is_taken(
          [&] { losses::add_loss_type({.name = "x", .text = "", .keys = {}, .make = {}, .own = own(key.name)}); }));
  }
  CHECK(layer_keys > 10);
  CHECK(model_keys > 30);
  CHECK(mentions(
      error_of([&] { losses::add_loss_type({.name = "x", .text = "", .keys = {}, .make = {}, .own = own("tilt")}); }),
      "name it loss_tilt"));
}
