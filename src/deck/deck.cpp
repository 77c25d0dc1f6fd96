// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>

#include "section.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/deck/schema.hpp>
#include <tesserec/network/model_types.hpp>

namespace tesserec::deck {

std::vector<KeyValue> values_of(const Deck& deck) {
  Flat flat;
  // Blocks are parsed one at a time, since the limit of a deck's size is only for text that people write.
  for (const Section& section : sections()) {
    std::string text;
    section.write(deck, text);
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find("\n\n", at), text.size());
      flat.add(parse_toml(text.substr(at, end - at), "effective deck"));
      at = end + 1;
    }
  }
  std::set<std::string> names;
  for (const KeyValue& entry : flat.keys) names.insert(entry.key);
  for (const KeyValue& entry : deck.given)
    if (names.count(entry.key) == 0) flat.keys.push_back(entry);
  return std::move(flat.keys);
}

std::string read_deck_text(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code))
    fail(path, ": the path is a directory; give the path of a deck (a TOML file)");
  std::string text = read_file(path, "the deck", largest_deck + 1);
  if (text.size() > largest_deck) fail(path, ": the file is larger than 1 MiB, so it is not a deck");
  return text;
}

Deck parse_deck(const std::string& text, const std::string& name, const std::vector<std::string>& overrides,
                const std::map<std::size_t, std::string>& origins) {
  Value root = parse_toml(text, name);
  if (root.table.empty()) fail(name, ": the deck is empty; it needs at least [data] and [model] (tesserec describe)");
  for (std::size_t i = 0; i < overrides.size(); ++i) {
    const auto origin = origins.find(i);
    apply_override(root, overrides[i], origin == origins.end() ? "--set " + std::to_string(i + 1) : origin->second);
  }

  Deck deck;
  deck.file = name;
  deck.blocks = &schema();
  read_sections(deck, sections(), root);
  check_deck(deck);
  return deck;
}

Deck read_deck(const std::string& path, const std::vector<std::string>& overrides,
               const std::map<std::size_t, std::string>& origins) {
  return parse_deck(read_deck_text(path), path, overrides, origins);
}

std::string effective_deck(const Deck& deck) {
  std::string out;
  for (const Section& section : sections()) section.write(deck, out);
  return out.substr(1);  // The first line is empty.
}

Deck as_network(Deck deck, bool dense_features) {
  deck.model.layers = network::layers_of(deck.model, dense_features);
  deck.model.type = "network";
  deck.model.own_values = {};  // The layers have these values now.
  return deck;
}

}  // namespace tesserec::deck
