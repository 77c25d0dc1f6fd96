// SPDX-License-Identifier: Apache-2.0
// Values of a deck that the ranks of a job compare.
#include <cstdlib>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "decks.hpp"
#include "other_values.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/core/timer.hpp>

using namespace tesserec;

namespace {

std::map<std::string, std::string> values(const deck::Deck& deck) {
  std::map<std::string, std::string> all;
  for (const deck::KeyValue& entry : deck::values_of(deck)) REQUIRE(all.emplace(entry.key, entry.value).second);
  return all;
}

}  // namespace

TEST_CASE("values_of: names values as --set does") {
  const auto all = values(deck::parse_deck(test::full_deck, "d.toml"));
  CHECK(all.at("train.batch_size") == "64");
  CHECK(all.at("optimizer.dense.lr") == "0.001");
  CHECK(all.at("table.first.rows") == "3000000000");
  CHECK(all.at("table.first.optimizer.eps") == "1e-06");
  CHECK(all.at("preprocess.column.age.transform") == "\"standardise\"");
  CHECK(all.at("plan.tables.second.x.kernel") == "\"dense\"");
  CHECK(all.at("model.top") == "[32, 1]");
  // Values that nothing reads are compared too, once.
  const auto more = values(deck::parse_deck(test::full_deck, "d.toml", {"sweep.jobs=3"}));
  CHECK(more.at("sweep.jobs") == "3");
  CHECK(more.size() == all.size() + 1);
}

TEST_CASE("values_of: returns the values of a deck longer than a deck file may be") {
  std::string text = "[model]\nembedding_dim = 2\nbottom = [2]\n";
  for (int i = 0; i < 8000; ++i) text += concat("[[table]]\nname = \"t", i, "\"\n");
  const deck::Deck deck = deck::parse_deck(text, "d.toml");
  REQUIRE(deck::effective_deck(deck).size() > 1 << 20);
  const auto all = values(deck);
  CHECK(all.at("table.t7999.pooling") == "\"sum\"");
}

TEST_CASE("values_of: every key with another value makes another deck and is found by name") {
  std::map<std::string, test::OtherValue> found;
  std::map<std::vector<std::string>, decltype(values({}))> before;  // by deck and what it needs for the key
  for (const test::OtherValue& value : test::other_values()) {
    INFO(value.other);
    const std::string& text = test::decks_with_every_block()[value.deck];
    std::vector<std::string> overrides = value.common;
    std::vector<std::string> key = overrides;
    key.push_back(std::to_string(value.deck));
    if (before.count(key) == 0) before[key] = values(deck::parse_deck(text, "d.toml", overrides));
    const auto& first = before[key];
    overrides.push_back(value.other);
    const auto second = values(deck::parse_deck(text, "d.toml", overrides));
    const auto a = first.find(value.path), b = second.find(value.path);
    CHECK((a == first.end()) + (b == second.end()) < 2);
    CHECK((a == first.end() || b == second.end() || a->second != b->second));
    found.emplace(value.key, value);
  }
  for (const deck::BlockInfo& block : deck::schema())
    for (const deck::KeyInfo& key : block.keys) {
      INFO("no other value for " << block.path << "." << key.name << ": teach tests/deck/other_values.cpp one");
      CHECK(found.count(block.path + "." + key.name) == 1);
    }
}

// Writes decks and a list of other values into the folder $OTHER_VALUES, as tests/one_deck.sh needs.
TEST_CASE("other_values: writes decks and other values as files", "[.other_values]") {
  const char* folder = std::getenv("OTHER_VALUES");
  REQUIRE(folder != nullptr);
  const auto& decks = test::decks_with_every_block();
  for (std::size_t i = 0; i < decks.size(); ++i) std::ofstream(concat(folder, "/", i, ".toml")) << decks[i];
  std::ofstream list(std::string(folder) + "/list");
  for (const test::OtherValue& value : test::other_values())
    list << value.key << '\t' << value.path << '\t' << value.deck << '\t' << value.other << '\t'
         << join(value.common, "\t") << '\n';
}

TEST_CASE("parse_deck: the time grows with the number of columns, not with its square") {
  std::string text = "[preprocess]\nformat = \"table\"\nheader = true\ncolumn = [\n";
  text += "{name = \"y\", kind = \"label\", positive = [\"1\"], negative = [\"0\"]},\n";
  for (int i = 0; i < 6000; ++i) text += concat("{name = \"a_longer_name_", i, "\", kind = \"category\"},\n");
  const Timer timer;
  CHECK(deck::parse_deck(text + "]\n", "x").preprocess.columns.size() == 6001);
  CHECK(timer.seconds() < 2);  // 0.1 s; with the square 6 s and more
}
