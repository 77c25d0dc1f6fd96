// SPDX-License-Identifier: Apache-2.0
// As much JSON as a manifest needs: objects, strings without escapes beyond \" and \\, integers.
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace tesserec::store {

struct Json {
  enum class Kind { object, string, integer } kind = Kind::object;
  std::map<std::string, Json> members;
  std::string text;
  std::int64_t number = 0;

  /// The member, or Error that names it.
  const Json& at(const std::string& name) const;
  std::int64_t integer() const;
  const std::string& string() const;
};

/// Error with the byte where the text stops to be what is read here.
Json parse_json(const std::string& text);

std::string json_quoted(const std::string& text);

}  // namespace tesserec::store
