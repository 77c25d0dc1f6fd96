// SPDX-License-Identifier: Apache-2.0
// The only file that knows toml++. No device code: nvcc cannot parse that library.
#include "toml_file.hpp"

#include <algorithm>
#include <sstream>

#include <toml++/toml.h>

#include <tesserec/core/error.hpp>

namespace tesserec::deck {
namespace {

constexpr int deepest = 24;

using Positioned = std::pair<toml::source_position, Entry>;

Value convert(const toml::node& node, const std::string& name, std::uint32_t line, int depth) {
  if (depth > deepest) fail(name, ":", line, ": blocks are nested more than ", deepest, " deep");
  Value value;
  value.where = name + ":" + std::to_string(line);
  if (const auto* table = node.as_table()) {
    std::vector<Positioned> entries;
    for (auto&& [key, child] : *table) {
      toml::source_position at = key.source().begin;
      if (at.line == 0) at = child.source().begin;
      if (at.line == 0) at.line = line;
      entries.push_back({at, Entry{std::string(key.str()), convert(child, name, at.line, depth + 1)}});
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const Positioned& a, const Positioned& b) { return a.first < b.first; });
    for (Positioned& entry : entries) value.table.push_back(std::move(entry.second));
  } else if (const auto* list = node.as_array()) {
    value.kind = Kind::list;
    for (const toml::node& child : *list)
      value.list.push_back(
          convert(child, name, child.source().begin.line ? child.source().begin.line : line, depth + 1));
  } else if (const auto* boolean = node.as_boolean()) {
    value.kind = Kind::boolean;
    value.boolean = boolean->get();
  } else if (const auto* integer = node.as_integer()) {
    value.kind = Kind::integer;
    value.integer = integer->get();
  } else if (const auto* number = node.as_floating_point()) {
    value.kind = Kind::number;
    value.number = number->get();
  } else if (const auto* text = node.as_string()) {
    value.kind = Kind::text;
    value.text = text->get();
  } else {
    value.kind = Kind::other;
  }
  return value;
}

// toml++ descends one call a part of a dotted key: refused before it can exhaust the stack.
void refuse_long_dotted_keys(const std::string& text, const std::string& name) {
  int dots = 0, line = 1;
  for (const char c : text) {
    if (c == '\n') ++line;
    const bool plain = c == '.' || c == ' ' || c == '\t' || c == '_' || c == '-' || c == '"' || c == '\'' ||
                       std::isalnum(static_cast<unsigned char>(c)) != 0;
    if (c == '.') ++dots;
    if (!plain) dots = 0;
    if (dots > 1000) fail(name, ":", line, ": a key with more than 1000 parts");
  }
}

}  // namespace

Value parse_toml(const std::string& text, const std::string& name) {
  if (text.size() >= 2 && ((text[0] == '\xff' && text[1] == '\xfe') || (text[0] == '\xfe' && text[1] == '\xff')))
    fail(name, ":1: the deck is UTF-16; save it as UTF-8");
  if (const std::size_t nul = text.find('\0'); nul != std::string::npos)
    fail(name, ":", 1 + std::count(text.begin(), text.begin() + nul, '\n'),
         ": the deck holds a NUL byte; it must be UTF-8 text");
  if (text.size() > largest_deck) fail(name, ": is larger than 1 MiB, so it is not a deck");
  refuse_long_dotted_keys(text, name);
  try {
    const toml::table table = toml::parse(text, name);
    return convert(table, name, 1, 0);
  } catch (const toml::parse_error& error) {
    fail(name, ":", error.source().begin.line, ": not valid TOML: ", error.description());
  }
}

}  // namespace tesserec::deck
