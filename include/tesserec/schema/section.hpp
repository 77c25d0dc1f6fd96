// SPDX-License-Identifier: Apache-2.0
/// A block of a deck: its keys, and how they reach the deck and leave it again.
#pragma once

#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/schema/flat.hpp>
#include <tesserec/schema/key.hpp>
#include <tesserec/schema/lines.hpp>

namespace tesserec::schema {

/// A block of decks that are read into a `Deck`, which has Lines.
template <class Deck>
struct Section {
  BlockInfo info;
  std::function<void(Deck&, const Value& root)> read;
  std::function<void(const Deck&, std::string& out)> write;
};

/// Throws "where: path is unknown; did you mean ...?": first among `siblings` (names in the same block), then
/// the same name in another block, then any key; without a near one it lists the siblings.
[[noreturn]] void fail_unknown(const std::vector<BlockInfo>& blocks, const std::string& where,
                               const std::string& prefix, const std::string& name,
                               const std::vector<std::string>& siblings);

/// NAME as a TOML key: quoted where it must be.
std::string key_text(const std::string& name);

/// Returns the first text that stands twice, or "".
std::string repeated_text(const std::vector<std::string>& texts);

inline void must_be_block(const Value& value, const std::string& path) {
  if (value.kind != Kind::table) fail(value.where, ": ", path, " must be a block, but is ", value.words());
}

/// Returns the elements of [[path]], at least one, or null without any. `what_else`: meaning of an absent block.
const Value* repeated(const Value& root, const std::string& path, const std::string& what_else);

/// Returns how messages call the block with this index in [[path]]: "table.C1", or "table.0" without a name.
std::string path_of(const std::string& path, const Value& block, std::size_t index);

template <class T>
std::vector<KeyInfo> infos(const Keys<T>& keys) {
  std::vector<KeyInfo> out;
  for (const Key<T>& key : keys) out.push_back(key.info);
  return out;
}

/// Fills `object` from a block of `deck`. `inner`: names in the block that other sections read.
template <class T>
void read_keys(Lines& deck, const Keys<T>& keys, T& object, const Value& block, const std::string& path,
               const std::vector<std::string>& inner = {}) {
  must_be_block(block, path);
  deck.lines[path] = block.where;
  std::vector<std::string> names = inner;
  for (const Key<T>& key : keys) names.push_back(key.info.name);
  for (const Entry& entry : block.table)
    if (std::find(names.begin(), names.end(), entry.key) == names.end())
      fail_unknown(*deck.blocks, entry.value.where, path, entry.key, names);
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

/// Writes keys as one line: {type = "sgd", lr = 0.1}.
template <class T>
std::string inline_keys(const Keys<T>& keys, const T& object) {
  std::vector<std::string> parts;
  for (const Key<T>& key : keys)
    if (const std::string value = key.write(object); !value.empty()) parts.push_back(key.info.name + " = " + value);
  return "{" + join(parts) + "}";
}

/// A block that stands once: [path]. `get(deck)` is the struct it fills.
template <class Deck, class T, class Get>
Section<Deck> single(const std::string& path, const std::string& sentence, const Keys<T>& keys, Get get,
                     const std::vector<std::string>& inner = {}) {
  Section<Deck> section;
  section.info = {path, "[" + path + "]", sentence, infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    if (const Value* block = root.find_path(path)) read_keys(deck, keys, get(deck), *block, path, inner);
  };
  section.write = [=](const Deck& deck, std::string& out) {
    if (!keys.empty()) out += "\n[" + path + "]\n" + write_keys(keys, get(deck));
  };
  return section;
}

template <class Deck>
std::vector<BlockInfo> infos(const std::vector<Section<Deck>>& sections) {
  std::vector<BlockInfo> out;
  for (const Section<Deck>& section : sections) out.push_back(section.info);
  return out;
}

/// Reads a whole deck into `deck`, whose `file` and `blocks` are set. `others`: blocks at the top that are left alone.
template <class Deck>
void read_sections(Deck& deck, const std::vector<Section<Deck>>& sections, const Value& root,
                   const std::vector<std::string>& others = {}) {
  std::vector<std::string> heads = others;
  for (const Section<Deck>& section : sections) {
    const std::string head = section.info.path.substr(0, section.info.path.find('.'));
    if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
  }
  for (const Entry& entry : root.table)
    if (std::find(heads.begin(), heads.end(), entry.key) == heads.end())
      fail_unknown(*deck.blocks, entry.value.where, "", entry.key, heads);
  for (const Section<Deck>& section : sections) section.read(deck, root);
  Flat given;
  given.add(root);
  deck.given = std::move(given.keys);
}

}  // namespace tesserec::schema
