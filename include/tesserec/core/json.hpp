// SPDX-License-Identifier: Apache-2.0
/// JSON that is read: manifests and plans.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace tesserec {

struct Json {
  enum class Kind { null, boolean, integer, number, string, array, object } kind = Kind::null;
  bool boolean = false;
  std::int64_t whole = 0;
  double real = 0.0;  ///< of integers too
  std::string text;
  std::vector<Json> elements;
  std::map<std::string, Json> members;

  bool has(const std::string& name) const { return members.count(name) != 0; }
  /// The member, or Error that names it.
  const Json& at(const std::string& name) const;
  std::int64_t integer() const;
  double number() const;
  const std::string& string() const;
  const std::vector<Json>& array() const;
};

/// Error with the byte where the text stops to be JSON, or has a name twice in an object.
Json parse_json(const std::string& text);

/// The text as a JSON string, quotes included.
std::string json_quoted(const std::string& text);

}  // namespace tesserec
