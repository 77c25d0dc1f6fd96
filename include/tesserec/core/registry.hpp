// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/own_keys.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {

/// Registry of types by name: the program's own types, followed by added ones. A type has a `name` and `own` keys. It
/// may have `keys`, the names of the program's keys that it reads.
template <class Type>
class Registry {
 public:
  /// Takes the noun for messages, such as "loss", and the program's types. `taken`: further keys of the types' block in
  /// a deck, which own keys may not repeat.
  Registry(const char* noun, std::vector<Type> types, std::vector<std::string> taken = {})
      : noun_(noun), types_(std::move(types)), taken_(std::move(taken)) {
    if constexpr (requires(const Type& type) { type.keys; })
      for (const Type& type : types_) taken_.insert(taken_.end(), type.keys.begin(), type.keys.end());
  }

  const std::vector<Type>& all() const { return types_; }
  /// Adds a type. Throws Error if its name is taken or if check_own_keys() refuses its own keys.
  void add(Type type) {
    if (find(type.name) != types_.end())
      fail("there is already a ", noun_, " \"", type.name, "\"; choose another name");
    check_own_keys(owner(type.name), type.own, taken_);
    types_.push_back(std::move(type));
  }
  /// Returns the type of this name. Throws Error that lists all types if there is none.
  const Type& at(const std::string& name) const {
    const auto type = find(name);
    if (type == types_.end())
      fail("there is no ", noun_, " \"", name, "\"; use one of: ", join(types_, ", ", &Type::name));
    return *type;
  }
  /// Returns `settings` with a value for every own key of the type. Throws Error as OwnValues::complete does.
  template <class Settings>
  Settings completed(const Type& type, Settings settings) const {
    settings.own_values.complete(owner(type.name), type.own);
    return settings;
  }
  /// Returns the type's name in messages: "loss "focal"".
  std::string owner(const std::string& name) const { return concat(noun_, " \"", name, '"'); }

 private:
  auto find(const std::string& name) const {
    return std::find_if(types_.begin(), types_.end(), [&](const Type& type) { return type.name == name; });
  }

  const char* noun_;
  std::vector<Type> types_;
  std::vector<std::string> taken_;
};

}  // namespace tesserec
