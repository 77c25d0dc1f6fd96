// SPDX-License-Identifier: Apache-2.0
#include <set>

#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/schema/section.hpp>
#include <tesserec/schema/suggest.hpp>

namespace tesserec::schema {

void fail_unknown(const std::vector<BlockInfo>& blocks, const std::string& where, const std::string& prefix,
                  const std::string& name, const std::vector<std::string>& siblings) {
  const std::string path = (prefix.empty() ? "" : prefix + ".") + printable_line(name);
  std::vector<std::string> all;
  std::string same;  // first block with a key of this name
  for (const BlockInfo& block : blocks)
    for (const KeyInfo& key : block.keys) {
      if (key.name == name && same.empty()) same = block.path;
      all.push_back(block.path + "." + key.name);
    }
  const std::string near = nearest(name, siblings);
  const bool lost = prefix.empty() && !same.empty();  // a key outside of any block
  if (!near.empty() && !lost)
    fail(where, ": ", path, " is unknown; did you mean ", prefix.empty() ? "" : prefix + ".", near, "?");
  if (!same.empty()) fail(where, ": ", path, " is unknown; did you mean ", same, ".", name, "?");
  if (const std::string near = nearest(path, all); !near.empty())
    fail(where, ": ", path, " is unknown; did you mean ", near, "?");
  fail(where, ": ", path, " is unknown; ", prefix.empty() ? "the blocks are " : prefix + " has ", join(siblings));
}

std::string key_text(const std::string& name) {
  const bool bare = !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
  });
  return bare ? name : quoted(name);
}

const Value* repeated(const Value& root, const std::string& path, const std::string& advice) {
  const Value* blocks = root.find_path(path);
  if (blocks == nullptr) return nullptr;
  if (blocks->kind != Kind::list)
    fail(blocks->where, ": ", path, " must be blocks [[", path, "]], but is ", blocks->words());
  if (blocks->list.empty()) fail(blocks->where, ": ", path, " is an empty list; ", advice);
  return blocks;
}

std::string repeated_text(const std::vector<std::string>& texts) {
  std::set<std::string> seen;
  for (const std::string& text : texts)
    if (!seen.insert(text).second) return text;
  return "";
}

std::string path_of(const std::string& path, const Value& block, std::size_t index) {
  const Value* name = block.find("name");
  const bool named = name != nullptr && name->kind == Kind::text && !name->text.empty();
  return path + "." + (named ? name->text : std::to_string(index));
}

}  // namespace tesserec::schema
