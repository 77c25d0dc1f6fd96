// SPDX-License-Identifier: Apache-2.0
/// A block of the schema: its keys, and how they reach a Deck and leave it again.
#pragma once

#include <algorithm>

#include "key.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/deck/deck.hpp>

namespace tesserec::deck {

struct Section {
  BlockInfo info;
  std::function<void(Deck&, const Value& root)> read;
  std::function<void(const Deck&, std::string& out)> write;
};

/// The parts of the one table, in the order of the documentation; schema.cpp joins them.
std::vector<Section> run_sections();
std::vector<Section> data_sections();
std::vector<Section> model_sections();
std::vector<Section> train_sections();
std::vector<Section> plan_sections();
std::vector<Section> bench_sections();
std::vector<Section> sweep_sections();
/// [[model.layer]], one of the model's.
Section layer_section();
const std::vector<Section>& sections();

/// Throws "where: path is unknown; did you mean ...?": first among `siblings` (names in the same block), then
/// the same name in another block, then any key; without a near one it lists the siblings.
[[noreturn]] void fail_unknown(const std::string& where, const std::string& prefix, const std::string& name,
                               const std::vector<std::string>& siblings);

/// NAME as a TOML key: quoted where it must be.
std::string key_text(const std::string& name);

inline void must_be_block(const Value& value, const std::string& path) {
  if (value.kind != Kind::table) fail(value.where, ": ", path, " must be a block, but is ", value.words());
}

template <class T>
std::vector<KeyInfo> infos(const Keys<T>& keys) {
  std::vector<KeyInfo> out;
  for (const Key<T>& key : keys) out.push_back(key.info);
  return out;
}

/// Fills `object` from a block. `inner`: names of blocks inside it, which other sections read.
template <class T>
void read_keys(Deck& deck, const Keys<T>& keys, T& object, const Value& block, const std::string& path,
               const std::vector<std::string>& inner = {}) {
  must_be_block(block, path);
  deck.lines[path] = block.where;
  std::vector<std::string> names = inner;
  for (const Key<T>& key : keys) names.push_back(key.info.name);
  for (const Entry& entry : block.table)
    if (std::find(names.begin(), names.end(), entry.key) == names.end())
      fail_unknown(entry.value.where, path, entry.key, names);
  for (const Key<T>& key : keys) {
    const Value* value = block.find(key.info.name);
    if (value == nullptr) {
      if (key.required) fail(block.where, ": ", path, ".", key.info.name, " is missing");
      continue;
    }
    const std::string key_path = path + "." + key.info.name;
    key.read(object, *value, key_path);
    deck.lines[key_path] = value->where;
  }
}

template <class T>
std::string write_keys(const Keys<T>& keys, const T& object) {
  std::string out;
  for (const Key<T>& key : keys)
    if (const std::string value = key.write(object); !value.empty()) out += key.info.name + " = " + value + "\n";
  return out;
}

/// A block that stands once: [path]. `get(deck)` is the struct it fills.
template <class T, class Get>
Section single(const std::string& path, const std::string& sentence, const Keys<T>& keys, Get get,
               const std::vector<std::string>& inner = {}) {
  Section section;
  section.info = {path, "[" + path + "]", sentence, infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    if (const Value* block = root.find_path(path)) read_keys(deck, keys, get(deck), *block, path, inner);
  };
  section.write = [=](const Deck& deck, std::string& out) {
    if (!keys.empty()) out += "\n[" + path + "]\n" + write_keys(keys, get(deck));
  };
  return section;
}

/// Returns the elements of [[path]], at least one, or null without any. `what_else`: meaning of an absent block.
inline const Value* repeated(const Value& root, const std::string& path, const std::string& what_else) {
  const Value* blocks = root.find_path(path);
  if (blocks == nullptr) return nullptr;
  if (blocks->kind != Kind::list)
    fail(blocks->where, ": ", path, " must be blocks [[", path, "]], but is ", blocks->words());
  if (blocks->list.empty()) fail(blocks->where, ": ", path, " is an empty list; ", what_else);
  return blocks;
}

/// Returns the keys of [optimizer.sparse] and of a table's own optimizer.
Keys<optim::Settings> sparse_optimizer_keys();
std::vector<Section> optimizer_sections();

/// Writes keys as one line: {type = "sgd", lr = 0.1}.
template <class T>
std::string inline_keys(const Keys<T>& keys, const T& object) {
  std::vector<std::string> parts;
  for (const Key<T>& key : keys)
    if (const std::string value = key.write(object); !value.empty()) parts.push_back(key.info.name + " = " + value);
  return "{" + join(parts) + "}";
}

}  // namespace tesserec::deck
