// SPDX-License-Identifier: Apache-2.0
/// A TOML file as our own plain tree, with the line of everything. Nothing beyond toml_file.cpp sees toml++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tesserec::schema {

enum class Kind { boolean, integer, number, text, list, table, other };

struct Entry;

struct Value {
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;
  std::string text;
  std::vector<Value> list;
  std::vector<Entry> table;  ///< in the order of the file
  std::string where;         ///< "adult.toml:12" or "--set 1"
  std::string raw;           ///< an override as typed: text keys take it without quotes

  Value();
  Value(Kind k, std::string w);

  /// The value under `key` of a table; null when absent or when this is no table.
  const Value* find(const std::string& key) const;
  Value* find(const std::string& key);
  /// The value at "data.synthetic"; null when absent.
  const Value* find_path(const std::string& path) const;
  /// For messages: "an integer, 3", "text, \"x\"", "a list", ...
  std::string words() const;
};

struct Entry {
  std::string key;
  Value value;
};

// Here, where Entry is whole: nvcc insists.
inline Value::Value() = default;
inline Value::Value(Kind k, std::string w) : kind(k), where(std::move(w)) {}

/// The value as TOML on one line, in one way: 1e-1 and 0.10 are both 0.1.
std::string toml_text(const Value& value);

/// Text as a TOML basic string, quotes included.
std::string quoted(const std::string& text);

/// Bytes of a deck at most.
inline constexpr std::size_t largest_deck = 1 << 20;

/// TOML text as a tree; every `where` is "name:line". Errors: "name:line: not valid TOML: ...", UTF-16, NUL bytes.
Value parse_toml(const std::string& text, const std::string& name);

/// Puts "block.key=value" into the tree; its place is `where`. The schema judges it when the tree is read.
void apply_override(Value& root, const std::string& text, const std::string& where);

}  // namespace tesserec::schema
