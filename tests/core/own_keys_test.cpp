// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/registry.hpp>

using namespace tesserec;

namespace {

const std::vector<OwnKey> keys = {
    {.name = "heads", .preset = Index{4}, .least = 1, .most = 16, .sentence = "How many."},
    {.name = "slope", .preset = 0.5, .most = 1, .sentence = "Of the line."},
    {.name = "mode", .preset = "sum", .choices = {"sum", "mean"}, .sentence = "What becomes of them."},
    {.name = "shape", .preset = std::vector<Index>{2, 3}, .least = 1, .sentence = "Of a matrix."},
};

struct Kind {
  std::string name;
  std::vector<std::string> keys;
  std::vector<OwnKey> own = {};
};

struct KindSettings {
  OwnValues own_values;
};

std::string refusal(const OwnKey& key) {
  return error_of([&] { check_own_keys("kind \"x\"", {key}, {"rank"}); });
}

}  // namespace

TEST_CASE("OwnValues: complete fills in the presets of keys that were not set") {
  OwnValues values;
  values.set("heads", Index{7});
  values.complete("kind \"x\"", keys);
  CHECK(values.get<Index>("heads") == 7);
  CHECK(values.get<double>("slope") == 0.5);
  CHECK(values.get<std::string>("mode") == "sum");
  CHECK(values.get<std::vector<Index>>("shape") == std::vector<Index>{2, 3});
  CHECK(values.text() == "heads = 7, mode = \"sum\", shape = [2, 3], slope = 0.5");
}

TEST_CASE("OwnValues: get throws with type and key if the type did not register the key") {
  OwnValues values;
  CHECK(mentions(error_of([&] { values.get<Index>("heads"); }), "\"heads\" has no value"));
  values.complete("kind \"x\"", keys);
  CHECK(error_of([&] { values.get<Index>("tails"); }) == "kind \"x\": the key \"tails\" is not registered");
  CHECK(error_of([&] { values.get<double>("heads"); }) ==
        "kind \"x\": the key \"heads\" is registered with another C++ type");
}

TEST_CASE("OwnValues: complete checks the values that a program sets by the rules of a deck") {
  const auto refused = [](const std::string& name, const OwnValue& value) {
    OwnValues values;
    values.set(name, value);
    return error_of([&] { values.complete("kind \"x\"", keys); });
  };
  CHECK(refused("heads", Index{0}) == "kind \"x\": the key \"heads\" is 0; use 1 to 16");
  CHECK(refused("heads", Index{17}) == "kind \"x\": the key \"heads\" is 17; use 1 to 16");
  CHECK(refused("mode", "max") == "kind \"x\": the key \"mode\" is \"max\"; use one of: sum, mean");
  CHECK(mentions(refused("shape", std::vector<Index>{2, 0}), "is [2, 0]"));
  CHECK(mentions(refused("heads", 2.0), "another C++ type"));
  CHECK(mentions(refused("tails", Index{1}), "\"tails\" is not registered"));
  CHECK(refused("slope", 1.0) == "");
}

TEST_CASE("check_own_keys: throws if a deck cannot have the key") {
  CHECK(mentions(refusal({.name = "Two Words", .preset = true, .sentence = "x."}), "is not a valid name"));
  CHECK(mentions(refusal({.name = "", .preset = true, .sentence = "x."}), "is not a valid name"));
  CHECK(
      mentions(refusal({.name = "rank", .preset = true, .sentence = "x."}), "\"rank\" has the name of a built-in key"));
  CHECK(mentions(refusal({.name = "heads", .preset = true}), "has no sentence"));
  CHECK(mentions(refusal({.name = "heads", .preset = Index{-1}, .sentence = "x."}), "is -1; use 0 to"));
  CHECK(mentions(error_of([&] { check_own_keys("kind \"x\"", {keys[0], keys[0]}, {}); }), "is registered twice"));

  Registry<Kind> kinds("kind", {{"built_in", {"rank"}}}, {"name"});
  const auto registered = [&](const char* name, const char* key) {
    return error_of([&] { kinds.add({name, {}, {{.name = key, .preset = true, .sentence = "x."}}}); });
  };
  CHECK(mentions(registered("a", "rank"), "kind \"a\": the key \"rank\" has the name of a built-in key"));
  CHECK(mentions(registered("a", "name"), "built-in key"));
  CHECK(registered("a", "heads") == "");
  CHECK(registered("b", "heads") == "");  // two types may share the name of a key
  CHECK(kinds.completed(kinds.at("a"), KindSettings{}).own_values.get<bool>("heads"));
}
