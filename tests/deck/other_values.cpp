// SPDX-License-Identifier: Apache-2.0
#include "other_values.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <sstream>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::test {
namespace {

using deck::BlockInfo, deck::Deck, deck::KeyInfo;

/// Returns the first two numbers of "1 to 65536; each 3 to 4", and some that most keys take.
std::vector<std::string> numbers_for(const KeyInfo& key) {
  std::vector<std::string> numbers = {"1", "2", "3", "4", "8", "16", "100"};
  std::istringstream words(key.range);
  for (std::string word; words >> word;) {
    while (!word.empty() && (word.back() == ',' || word.back() == ';')) word.pop_back();
    if (parse_number<double>(word)) numbers.push_back(word);
  }
  return numbers;
}

std::vector<std::string> values_for(const KeyInfo& key) {
  const auto is = [&](const char* type) { return key.type == type; };
  std::vector<std::string> values = deck::choices_of(key);
  if (is("list of choices")) {
    for (std::string& choice : values) choice = "[\"" + choice + "\"]";
    return values;
  }
  if (!values.empty()) return values;
  if (is("integer") || is("integer or list of integers")) return numbers_for(key);
  if (is("number")) return {"0.25", "0.5", "0.05", "0.001", "2.0", "1000.5", "1e9"};
  if (is("text")) return {"other", ";", "C1", "C2", "h200", "when", "file", "%d.%m.%y"};
  if (is("list of integers"))
    return {"[6]", "[16, 4]", "[16, 1]", "[4, 4]", "[2, 2, 2, 2]", "[60, 30, 20, 10]", "[1]", "[0]"};
  if (is("list of numbers")) return {"[0.5, 0.25]", "[0.5]"};
  if (is("list of texts"))
    return {"[\"other\"]", "[\"hour\"]",      "[\"C1\"]",          "[\"C1\", \"C2\"]",
            "[\"dense\"]", "[\"pooled.C1\"]", "[\"unpooled.C1\"]", "[\"optimizer.dense.lr\"]"};
  return {};
}

/// Returns the places of the block in a deck, or none: "table" -> "table.C1".
std::vector<std::string> places_of(const BlockInfo& block, const Deck& deck) {
  if (block.path == "table") return {"table.C1", "table.C3"};
  if (block.path == "plan.tables.NAME") return {"plan.tables.C1"};
  if (block.path == "preprocess.column") {
    return {"preprocess.column.age",  "preprocess.column.tags", "preprocess.column.user",  "preprocess.column.when",
            "preprocess.column.both", "preprocess.column.job",  "preprocess.column.income"};
  }
  if (block.path == "preprocess.join") return {"preprocess.join.0"};
  if (block.path == "preprocess.sequence") return {"preprocess.sequence.past"};
  if (block.path == "schedule.stages") return {"schedule.stages.0", "schedule.stages.1"};
  if (block.path == "import") return {"import.logit"};
  if (block.path == "sweep.keys") return {"sweep.keys.\"optimizer.dense.lr\""};
  if (block.path != "model.layer") return {block.path};
  std::vector<std::string> places;
  for (const auto& layer : deck.model.layers) places.push_back("model.layer." + layer.name);
  return places;
}

std::string unquoted(std::string path) {
  std::erase(path, '"');
  return path;
}

/// Returns the value of a key; empty without one.
std::string value_at(const Deck& deck, const std::string& path) {
  for (const deck::KeyValue& entry : deck::values_of(deck))
    if (entry.key == unquoted(path)) return entry.value;
  return "";
}

std::optional<Deck> deck_with(const std::string& text, const std::vector<std::string>& overrides) {
  try {
    return deck::parse_deck(text, "d.toml", overrides);
  } catch (const Error&) {
    return std::nullopt;
  }
}

/// Returns a deck of decks_with_every_block() with overrides, parsed once.
const std::optional<Deck>& deck_with(std::size_t number, const std::vector<std::string>& overrides) {
  static std::map<std::pair<std::size_t, std::vector<std::string>>, std::optional<Deck>> parsed;
  const auto [at, is_new] = parsed.try_emplace({number, overrides});
  if (is_new) at->second = deck_with(decks_with_every_block()[number], overrides);
  return at->second;
}

/// Returns overrides that other keys of the block may need: none, or another choice of one of its choices.
std::vector<std::vector<std::string>> surroundings(const BlockInfo& block, const std::string& place) {
  std::vector<std::vector<std::string>> all = {{}};
  for (const KeyInfo& key : block.keys)
    for (const std::string& choice : deck::choices_of(key))
      if (key.type == "choice") all.push_back({place + "." + key.name + "=" + choice});
  if (block.path == "model")
    for (const char* cross : {"vector", "mixture", "full"})
      all.push_back({"model.type=dlrm_dcn", concat("model.cross=", cross)});
  if (block.path == "table") {
    const std::vector<std::string> growing = {place + ".growing=true", place + ".rows=4000"};
    all.insert(all.end(), {{growing[1]}, growing});
    all.push_back({growing[0], growing[1], place + ".eviction=ttl", place + ".ttl=5"});
  }
  if (block.path == "data.synthetic") {
    all.push_back({place + ".kind=reference", place + ".ids=gaussian"});
    all.push_back({place + ".rows=[50, 50, 20, 10]"});
    all.push_back({"train.shuffle=false", place + ".kind=reference", place + ".ids=trace", place + ".profile=p"});
  }
  if (block.path == "checkpoint") all.push_back({"checkpoint.delta_seconds=5"});
  if (block.path == "schedule") all.push_back({"schedule.decay_steps=10"});
  if (block.path == "plan.tables.NAME") all.push_back({place + ".sharding=table_wise"});
  for (const char* by : {".by=time", ".by=day"})
    if (block.path == "preprocess.split") all.push_back({place + by, place + ".time=when"});
  if (place == "preprocess.column.income")
    all.push_back({place + ".positive=[]", place + ".negative=[]", place + ".threshold=4.0"});
  return all;
}

std::optional<OtherValue> other_value(const BlockInfo& block, const KeyInfo& key, std::size_t number, bool surrounded) {
  const std::string& text = decks_with_every_block()[number];
  for (const std::string& place : places_of(block, *deck_with(number, {})))
    for (const std::vector<std::string>& common : surroundings(block, place)) {
      if (common.empty() == surrounded) continue;
      const std::optional<Deck>& first = deck_with(number, common);
      if (!first) continue;
      const std::string path = place + "." + key.name, now = value_at(*first, path);
      for (const std::string& value : values_for(key)) {
        std::vector<std::string> overrides = common;
        overrides.push_back(path + "=" + value);
        const std::optional<Deck> second = deck_with(text, overrides);
        if (second && value_at(*second, path) != now)
          return OtherValue{block.path + "." + key.name, unquoted(path), number, common, overrides.back()};
      }
    }
  return std::nullopt;
}

/// Prefers values that need no other key, since most do and the search for the others is long.
std::optional<OtherValue> other_value(const BlockInfo& block, const KeyInfo& key) {
  for (const bool surrounded : {false, true})
    for (std::size_t number = 0; number < decks_with_every_block().size(); ++number)
      if (auto found = other_value(block, key, number, surrounded)) return found;
  return std::nullopt;
}

}  // namespace

std::vector<OtherValue> other_values() {
  std::vector<OtherValue> all;
  // The choice "table" needs columns.
  all.push_back({"preprocess.format",
                 "preprocess.format",
                 3,
                 {},
                 "preprocess={format=\"table\",column=[{name=\"a\",kind=\"label\",positive=\"1\",negative=\"0\"},{name="
                 "\"b\",kind=\"category\"}]}"});
  for (const BlockInfo& block : deck::schema())
    for (const KeyInfo& key : block.keys)
      if (auto found = other_value(block, key)) all.push_back(std::move(*found));
  return all;
}

}  // namespace tesserec::test
