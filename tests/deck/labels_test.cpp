// SPDX-License-Identifier: Apache-2.0
// Keys of several labels that do not fit each other.
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/deck.hpp>

using namespace tesserec;

TEST_CASE("parse_deck: keys of several labels that do not fit throw with file and line") {
  const std::string generated =
      "[data.synthetic]\nkind = \"planted\"\nsamples = 100\nrows = [10]\nlabels = [\"a\", \"b\"]\nmissing_labels = "
      "0.4\n";
  const std::vector<std::pair<std::string, std::string>> bad = {
      {"[model]\ntasks = [\"a\", \"b\"]\n", "d.toml:1: model.top is 512-256-1: its last width must be 2, one output"},
      {"[model]\ntasks = [\"a\", \"a\"]\ntop = [8, 2]\n", "d.toml:2: model.tasks names \"a\" twice"},
      {"[model]\ntask_weights = [1, 2]\n", "d.toml:2: model.task_weights has 2 numbers for 0 tasks"},
      {"[model]\ntasks = [\"a\", \"b\"]\ntop = [8, 2]\ntask_weights = [0, 0]\n",
       "d.toml:4: model.task_weights has no positive number"},
      {"[data]\nmissing_labels = true\n",
       "d.toml:2: data.missing_labels is true, but model.tasks does not have several"},
      {"[model]\ntasks = [\"a\", \"b\"]\ntop = [8, 2]\n[data]\nmissing_labels = true\n[train]\naccumulate = 2\n",
       "d.toml:7: train.accumulate is 2, but with data.missing_labels"},
      {generated + "[model]\ntasks = [\"a\", \"b\"]\ntop = [8, 2]\n",
       "d.toml:6: data.synthetic.missing_labels is 0.4, so samples lack the label \"b\"; allow it with data.missing_"},
      {generated + "[model]\ntasks = [\"b\"]\n",
       "d.toml:6: data.synthetic.missing_labels is 0.4, so samples lack the label \"b\", the only one of model.tasks"},
      {"[model]\ntasks = [\"a\", \"b\"]\ntop = [8, 2]\n[evaluate]\nmetrics = [\"candidate_recall\"]\n",
       "d.toml:5: evaluate.metrics has candidate_recall, which needs a model of one label, but model.tasks has a, b"},
      {"[model]\ntasks = [\"a\", \"b\"]\ntop = [8, 2]\nexchange_backward = \"fp16\"\n[data]\nmissing_labels = true\n",
       "d.toml:4: model.exchange_backward is fp16, but with data.missing_labels"},
      {"[evaluate]\ntask = \"a\"\n", "d.toml:2: evaluate.task is \"a\", but model.tasks does not have several labels"},
  };
  for (const auto& [text, expected] : bad) {
    INFO(text);
    CHECK(mentions(error_of([&] { deck::parse_deck(text, "d.toml"); }), expected));
  }
  CHECK(error_of([&] { deck::parse_deck(generated + "[model]\ntasks = [\"a\"]\n", "d.toml"); }).empty());
}
