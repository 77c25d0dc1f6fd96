// SPDX-License-Identifier: Apache-2.0
/// Keys of a deck that a type of one's own brings along, and their values.
#pragma once

#include <map>
#include <string>
#include <variant>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec {

using OwnValue = std::variant<bool, Index, double, std::string, std::vector<Index>, std::vector<std::string>>;

/// A key that a registered type reads: {.name = "experts", .preset = Index{4}, .least = 1, .most = 64, .sentence =
/// "..."}.
struct OwnKey {
  std::string name = {};                  ///< lower-case letters, digits and _
  OwnValue preset = {};                   ///< the value of a deck without the key; its type is that of every value
  double least = 0;                       ///< of a number, or of each in a list
  double most = 1e30;                     ///< the same; an integer has no limit from 2^63 on
  std::vector<std::string> choices = {};  ///< of a text, or of each in a list; empty = any
  std::string unit = {};
  std::string sentence = {};  ///< for `tesserec describe`
};

/// Returns the key of this name, or null.
const OwnKey* find_key(const std::vector<OwnKey>& keys, const std::string& name);

/// Error: a name is no word, stands twice or is one of `taken`; a sentence is missing; a preset is outside its range.
/// `owner` is what the message begins with: "layer type "softmax"".
void check_own_keys(const std::string& owner, const std::vector<OwnKey>& keys, const std::vector<std::string>& taken);

/// Values of a type's own keys.
class OwnValues {
 public:
  void set(const std::string& name, OwnValue value) { values_[name] = std::move(value); }
  /// Returns the value that was set, or null.
  const OwnValue* find(const std::string& name) const;
  /// Returns all values as text, for comparisons: "experts = 4, share = 0.5".
  std::string text() const;

  /// Gives each of `keys` that has no value its preset. Error: a value of no such key, of another type or outside the
  /// key's range. `owner` names the type in this and later messages.
  void complete(const std::string& owner, const std::vector<OwnKey>& keys);

  /// Error: the type did not register this key, or registered it with another type than T.
  template <class T>
  const T& get(const std::string& name) const {
    const OwnValue* value = find(name);
    if (value == nullptr) refuse(name, "did not register the key");
    if (!std::holds_alternative<T>(*value)) refuse(name, "registered with another C++ type the key");
    return std::get<T>(*value);
  }

  bool operator==(const OwnValues& other) const { return values_ == other.values_; }

 private:
  [[noreturn]] void refuse(const std::string& name, const char* what) const;

  std::string owner_;
  std::map<std::string, OwnValue> values_;
};

}  // namespace tesserec
