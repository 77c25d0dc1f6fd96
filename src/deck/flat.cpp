// SPDX-License-Identifier: Apache-2.0
#include "flat.hpp"

#include <algorithm>

#include "section.hpp"
#include "toml_file.hpp"

namespace tesserec::deck {

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

}  // namespace tesserec::deck
