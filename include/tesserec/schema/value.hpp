// SPDX-License-Identifier: Apache-2.0
/// TOML file as a plain tree with the line of each value. Only toml_file.cpp uses toml++.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tesserec::schema {

/// Kind of a value; `other` is a date or time.
enum class Kind { boolean, integer, number, text, list, table, other };

struct Entry;

/// Value of a TOML tree.
struct Value {
  Kind kind = Kind::table;
  bool boolean = false;
  std::int64_t integer = 0;
  double number = 0.0;
  std::string text;
  std::vector<Value> list;
  std::vector<Entry> table;  ///< entries in the order of the file
  std::string where;         ///< "adult.toml:12" or "--set 1"
  std::string raw;           ///< text of an override as typed, which text keys take without quotes

  /// Makes an empty table.
  Value();
  /// Makes an empty value of kind `k` at position `w`.
  Value(Kind k, std::string w);

  /// Returns the value under `key`, or null if it is absent or this is no table.
  const Value* find(const std::string& key) const;
  Value* find(const std::string& key);
  /// Returns the value at a path such as "data.synthetic", or null if it is absent.
  const Value* find_path(const std::string& path) const;
  /// Describes the value for messages: "the integer 3", "the text \"x\"", "a list", ...
  std::string words() const;
};

/// Entry of a table.
struct Entry {
  std::string key;
  Value value;
};

// Constructors that stand behind Entry because nvcc requires the complete type.
inline Value::Value() = default;
inline Value::Value(Kind k, std::string w) : kind(k), where(std::move(w)) {}

/// Returns the value as TOML on one line in canonical form: 1e-1 and 0.10 both become 0.1. Throws Error for a date or
/// time.
std::string toml_text(const Value& value);

/// Returns the text as a TOML basic string, quotes included.
std::string quoted(const std::string& text);

/// Maximum size of a deck [bytes].
inline constexpr std::size_t largest_deck = 1 << 20;

/// Parses TOML text into a tree; every `where` is "name:line". Throws Error "name:line: not valid TOML: ...". Throws
/// Error also for text larger than largest_deck, for UTF-16, NUL bytes and too deep nesting.
Value parse_toml(const std::string& text, const std::string& name);

/// Sets "block.key=value" in the tree, with position `where`. The schema checks the value when the tree is read. Throws
/// Error if the text is malformed or its path leads through a value that is no block or list.
void apply_override(Value& root, const std::string& text, const std::string& where);

}  // namespace tesserec::schema
