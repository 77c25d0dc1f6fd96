// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <filesystem>
#include <set>

#include "section.hpp"
#include "value.hpp"
#include <tesserec/core/file.hpp>
#include <tesserec/deck/deck.hpp>
#include <tesserec/deck/schema.hpp>
#include <tesserec/network/model_types.hpp>

namespace tesserec::deck {
namespace {

/// Tree as one line a key, named as by --set: "table.C1.rows" of [[table]] C1; "schedule.stages.0.value" if unnamed.
class Flat {
 public:
  void add(const Value& value, const std::string& path = "");

  std::vector<KeyValue> keys;  ///< in the order in which they came

 private:
  void add_blocks(const Value& list, const std::string& path);

  std::map<std::string, int> counts_;  ///< blocks of a path so far
  std::set<std::string> names_;
};

void Flat::add_blocks(const Value& list, const std::string& path) {
  for (const Value& block : list.list) {
    const Value* name = block.find("name");
    const bool named = name != nullptr && name->kind == Kind::text && !name->text.empty();
    const std::string number = std::to_string(counts_[path]++);
    add(block, path + "." + (named ? name->text : number));
  }
}

void Flat::add(const Value& value, const std::string& path) {
  const bool blocks =
      value.kind == Kind::list && !value.list.empty() &&
      std::all_of(value.list.begin(), value.list.end(), [](const Value& one) { return one.kind == Kind::table; });
  if (value.kind == Kind::table) {
    for (const Entry& entry : value.table) add(entry.value, path.empty() ? entry.key : path + "." + entry.key);
  } else if (blocks) {
    add_blocks(value, path);
  } else {
    std::string name = path;
    while (!names_.insert(name).second) name += " (again)";
    keys.push_back({name, value.kind == Kind::other && !value.raw.empty() ? value.raw : toml_text(value)});
  }
}

}  // namespace

std::vector<KeyValue> values_of(const Deck& deck) {
  Flat flat;
  // Block by block: a deck's limit of size is for what people write.
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
  for (const KeyValue& one : flat.keys) names.insert(one.key);
  for (const KeyValue& one : deck.given)
    if (names.count(one.key) == 0) flat.keys.push_back(one);
  return std::move(flat.keys);
}

std::string key_text(const std::string& name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? name : quoted(name);
}

std::string Deck::at(const std::string& key) const {
  for (std::string path = key; !path.empty();) {
    if (const auto found = lines.find(path); found != lines.end()) return found->second + ": " + key;
    const std::size_t dot = path.rfind('.');
    path = dot == std::string::npos ? "" : path.substr(0, dot);
  }
  return (file.empty() ? "deck" : file) + ": " + key;
}

std::string Deck::located(const std::string& message) const {
  const std::string key = message.substr(0, message.find_first_of(": "));
  for (const BlockInfo& block : schema())
    for (const KeyInfo& info : block.keys)
      if (key == block.path + "." + info.name) return at(key) + message.substr(key.size());
  return message;
}

std::string read_deck_text(const std::string& path) {
  std::error_code code;
  if (std::filesystem::is_directory(path, code)) fail(path, ": is a directory; give the path of a deck (a TOML file)");
  std::string text = read_file(path, "the deck", largest_deck + 1);
  if (text.size() > largest_deck) fail(path, ": is larger than 1 MiB, so it is not a deck");
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

  std::vector<std::string> blocks;
  for (const Section& section : sections()) {
    const std::string head = section.info.path.substr(0, section.info.path.find('.'));
    if (std::find(blocks.begin(), blocks.end(), head) == blocks.end()) blocks.push_back(head);
  }
  for (const Entry& entry : root.table)
    if (std::find(blocks.begin(), blocks.end(), entry.key) == blocks.end())
      fail_unknown(entry.value.where, "", entry.key, blocks);

  Deck deck;
  deck.file = name;
  for (const Section& section : sections()) section.read(deck, root);
  check_deck(deck);
  Flat given;
  given.add(root);
  deck.given = std::move(given.keys);
  return deck;
}

Deck read_deck(const std::string& path, const std::vector<std::string>& overrides,
               const std::map<std::size_t, std::string>& origins) {
  return parse_deck(read_deck_text(path), path, overrides, origins);
}

std::string effective_deck(const Deck& deck) {
  std::string out;
  for (const Section& section : sections()) section.write(deck, out);
  return out.substr(1);  // without the first empty line
}

Deck as_network(Deck deck, bool dense_features) {
  deck.model.layers = network::layers_of(deck.model, dense_features);
  deck.model.type = "network";
  return deck;
}

}  // namespace tesserec::deck
