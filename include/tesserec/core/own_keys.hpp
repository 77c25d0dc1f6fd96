// SPDX-License-Identifier: Apache-2.0
/// Deck keys that a registered type defines for itself, and their values.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec {

/// Value of a type's own key.
using OwnValue = std::variant<bool, Index, double, std::string, std::vector<Index>, std::vector<std::string>>;

/// Deck key that a registered type reads: {.name = "experts", .preset = Index{4}, .least = 1, .most = 64, .sentence =
/// "..."}.
struct OwnKey {
  std::string name = {};                  ///< lower-case letters, digits and _
  OwnValue preset = {};                   ///< value if the deck lacks the key; its C++ type holds for every value
  double least = 0;                       ///< lower bound of a number, or of each number in a list
  double most = 1e30;                     ///< upper bound of the same; an integer has no limit from 2^63 on
  std::vector<std::string> choices = {};  ///< allowed texts, also for each text in a list; empty = any
  std::string unit = {};
  std::string sentence = {};  ///< its description in `tesserec describe`
};

/// Returns the key of this name, or null.
const OwnKey* find_key(const std::vector<OwnKey>& keys, const std::string& name);

/// Checks a type's own keys. Throws Error if a name is not a word of lower-case letters, digits and _, occurs twice or
/// is in `taken`. Throws too if a sentence is missing or a preset is outside its range. Messages begin with `owner`,
/// such as "layer type "softmax"".
void check_own_keys(const std::string& owner, const std::vector<OwnKey>& keys, const std::vector<std::string>& taken);

/// Values of a type's own keys.
class OwnValues {
 public:
  void set(const std::string& name, OwnValue value) { values_[name] = std::move(value); }
  /// Returns the value that was set, or null.
  const OwnValue* find(const std::string& name) const;
  /// Returns all values as text, for comparisons: "experts = 4, share = 0.5".
  std::string text() const;

  /// Sets each of `keys` that has no value to its preset. Throws Error if a value has no such key, is of another type,
  /// or is outside the key's range. `owner` names the type in this and later messages.
  void complete(const std::string& owner, const std::vector<OwnKey>& keys);

  /// Returns the value of a key. Throws Error if the type did not register the key, or registered it with another type
  /// than T.
  template <class T>
  const T& get(const std::string& name) const {
    const OwnValue* value = find(name);
    if (value == nullptr) refuse(name, "is not registered");
    if (!std::holds_alternative<T>(*value)) refuse(name, "is registered with another C++ type");
    return std::get<T>(*value);
  }

  bool operator==(const OwnValues& other) const { return values_ == other.values_; }

 private:
  [[noreturn]] void refuse(const std::string& name, const char* reason) const;

  std::string owner_;
  std::map<std::string, OwnValue> values_;
};

}  // namespace tesserec
