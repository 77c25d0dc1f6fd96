// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string_view>

#include <tesserec/schema/lines.hpp>

namespace tesserec::schema {
namespace {

/// Returns whether a text begins with a word, which a dot, a colon, a space or the end of the text follows.
bool begins_with_word(std::string_view text, std::string_view word) {
  if (!text.starts_with(word)) return false;
  return text.size() == word.size() || std::string_view(".: ").find(text[word.size()]) != std::string_view::npos;
}

}  // namespace

/// Returns where a key stands in the deck: "adult.toml:12".
std::string Lines::where(const std::string& key) const {
  for (std::string path = key; !path.empty();) {
    for (const std::string& known : {path, path + ".0"})
      if (const auto found = lines.find(known); found != lines.end()) return found->second;
    const std::size_t dot = path.rfind('.');
    path = dot == std::string::npos ? "" : path.substr(0, dot);
  }
  return file.empty() ? "deck" : file;
}

std::string Lines::at(const std::string& key) const { return where(key) + ": " + key; }

/// Returns the key of a repeated block with which a message begins, else the block itself. Returns "" if the message is
/// about something else.
std::string Lines::key_of_repeated(const BlockInfo& block, std::string_view message) const {
  if (!begins_with_word(message, block.path) || lines.count(block.path + ".0") == 0) return "";
  message.remove_prefix(std::min(block.path.size() + 1, message.size()));
  std::string_view longest;  // A column may be called "a" and another one "a b".
  std::string key;
  for (const auto& [name, place] : places) {
    if (!name.starts_with(block.path + ".")) continue;
    const std::string_view own = std::string_view(name).substr(block.path.size() + 1);
    if (own.size() <= longest.size() || !begins_with_word(message, own)) continue;
    longest = own;
    key = place;
  }
  if (key.empty()) return message.starts_with(' ') ? block.path : "";
  message.remove_prefix(longest.size());
  message.remove_prefix(std::min(message.find_first_not_of(".: "), message.size()));
  for (const KeyInfo& info : block.keys)
    if (begins_with_word(message, info.name)) return key + "." + info.name;
  return key;
}

std::string Lines::located(const std::string& message) const {
  if (blocks == nullptr) return message;
  for (const BlockInfo& block : *blocks) {
    for (const KeyInfo& info : block.keys)
      if (message.substr(0, message.find_first_of(": ")) == block.path + "." + info.name)
        return where(block.path + "." + info.name) + ": " + message;
    if (const std::string key = key_of_repeated(block, message); !key.empty()) return where(key) + ": " + message;
  }
  std::string longest;  // A table may be called "a" and another one "a.b".
  for (const auto& [key, place] : lines)
    if (key.starts_with("plan.tables.") && begins_with_word(message, key) && key.size() > longest.size()) longest = key;
  return longest.empty() ? message : where(longest) + ": " + message;
}

}  // namespace tesserec::schema
