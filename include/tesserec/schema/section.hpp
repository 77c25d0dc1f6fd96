// SPDX-License-Identifier: Apache-2.0
/// Sections: blocks of a deck that read and write their keys.
#pragma once

#include <algorithm>

#include <tesserec/core/error.hpp>
#include <tesserec/schema/flat.hpp>
#include <tesserec/schema/key.hpp>
#include <tesserec/schema/lines.hpp>

namespace tesserec::schema {

/// Block of decks that are read into a `Deck`, which derives from Lines.
template <class Deck>
struct Section {
  BlockInfo info;
  std::function<void(Deck&, const Value& root)> read;
  std::function<void(const Deck&, std::string& out)> write;
};

/// Throws Error "where: path is unknown; did you mean ...?". Suggests a near name among `siblings` (names in the same
/// block), then the same name in another block, then any near key. If none is near it lists the siblings.
[[noreturn]] void fail_unknown(const std::vector<BlockInfo>& blocks, const std::string& where,
                               const std::string& prefix, const std::string& name,
                               const std::vector<std::string>& siblings);

/// Returns the name as a TOML key, quoted if necessary.
std::string key_text(const std::string& name);

/// Returns the first text that occurs twice, or "".
std::string repeated_text(const std::vector<std::string>& texts);

/// Throws Error unless the value is a block.
inline void must_be_block(const Value& value, const std::string& path) {
  if (value.kind != Kind::table) fail(value.where, ": ", path, " must be a block, but is ", value.words());
}

/// Returns the elements of [[path]], or null if it is absent. Throws Error if it is no list of blocks or empty.
/// `advice`: what to write instead of an empty list.
const Value* repeated(const Value& root, const std::string& path, const std::string& advice);

/// Returns the name in messages of the block with this index in [[path]]: "table.C1", or "table.0" without a name.
std::string path_of(const std::string& path, const Value& block, std::size_t index);

/// Returns the descriptions of the keys.
template <class T>
std::vector<KeyInfo> infos(const Keys<T>& keys) {
  std::vector<KeyInfo> out;
  for (const Key<T>& key : keys) out.push_back(key.info);
  return out;
}

/// Fills `object` from a block of `deck`. `inner`: names in the block that other sections read. Throws Error for an
/// unknown or a missing required key.
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

/// Writes keys as TOML, one line each, without those that are unset.
template <class T>
std::string write_keys(const Keys<T>& keys, const T& object) {
  std::string out;
  for (const Key<T>& key : keys)
    if (const std::string value = key.write(object); !value.empty()) out += key.info.name + " = " + value + "\n";
  return out;
}

/// Writes keys as an inline table: {type = "sgd", lr = 0.1}.
template <class T>
std::string inline_keys(const Keys<T>& keys, const T& object) {
  std::vector<std::string> pairs;
  for (const Key<T>& key : keys)
    if (const std::string value = key.write(object); !value.empty()) pairs.push_back(key.info.name + " = " + value);
  return "{" + join(pairs) + "}";
}

/// Makes the section of a block that occurs once: [path]. `get(deck)` is the struct that it fills.
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

/// Path of a block and the sentence that describes it.
struct BlockWords {
  std::string path;
  std::string sentence;
};

/// Makes the section of a block that may occur several times: [[path]]. `get(deck)` is the list of structs that it
/// fills. `advice`: what to write instead of an empty list.
template <class Deck, class T, class Get>
Section<Deck> repeated_block(const BlockWords& words, const Keys<T>& keys, Get get, const std::string& advice) {
  const std::string& path = words.path;
  Section<Deck> section;
  section.info = {path, "[[" + path + "]]", words.sentence, infos(keys)};
  section.read = [=](Deck& deck, const Value& root) {
    const Value* all = repeated(root, path, advice);
    for (std::size_t i = 0; all != nullptr && i < all->list.size(); ++i) {
      const std::string place = path + "." + std::to_string(i);
      deck.places.emplace(path_of(path, all->list[i], i), place);
      read_keys(deck, keys, get(deck).emplace_back(), all->list[i], place);
    }
  };
  section.write = [=](const Deck& deck, std::string& out) {
    for (const T& one : get(deck)) out += "\n[[" + path + "]]\n" + write_keys(keys, one);
  };
  return section;
}

/// Returns the descriptions of the sections.
template <class Deck>
std::vector<BlockInfo> infos(const std::vector<Section<Deck>>& sections) {
  std::vector<BlockInfo> out;
  for (const Section<Deck>& section : sections) out.push_back(section.info);
  return out;
}

/// Reads a whole deck into `deck`, whose `file` and `blocks` are set. `others`: blocks at the top level that it
/// ignores.
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
