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

/// Types of something by name: those of the program, and behind them those that were added. A type has a name, own
/// keys, and may have `keys` among those of the program.
template <class Type>
class Registry {
 public:
  /// `what` it has: "loss". `taken`: keys of its block in a deck that stand beside those of `types`.
  Registry(const char* what, std::vector<Type> types, std::vector<std::string> taken = {})
      : what_(what), types_(std::move(types)), taken_(std::move(taken)) {
    if constexpr (requires(const Type& type) { type.keys; })
      for (const Type& type : types_) taken_.insert(taken_.end(), type.keys.begin(), type.keys.end());
  }

  const std::vector<Type>& all() const { return types_; }
  /// Error: the name is taken, or an own key is not one that a deck can have.
  void add(Type type) {
    if (find(type.name) != types_.end()) fail("there is a ", what_, " ", type.name, " already");
    check_own_keys(owner(type.name), type.own, taken_);
    types_.push_back(std::move(type));
  }
  /// Error that lists what there is.
  const Type& at(const std::string& name) const {
    const auto type = find(name);
    if (type == types_.end())
      fail("there is no ", what_, " \"", name, "\"; there are ", join(types_, ", ", &Type::name));
    return *type;
  }
  /// Returns settings whose `own_values` have a value for every own key of the type. Errors as OwnValues::complete's.
  template <class Settings>
  Settings completed(const Type& type, Settings settings) const {
    settings.own_values.complete(owner(type.name), type.own);
    return settings;
  }
  /// Returns what messages call a type: "loss "focal"".
  std::string owner(const std::string& name) const { return concat(what_, " \"", name, '"'); }

 private:
  auto find(const std::string& name) const {
    return std::find_if(types_.begin(), types_.end(), [&](const Type& type) { return type.name == name; });
  }

  const char* what_;
  std::vector<Type> types_;
  std::vector<std::string> taken_;
};

}  // namespace tesserec
