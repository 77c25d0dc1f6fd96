// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {

/// Types of something by name: those of the program, and behind them those that were added.
template <class Type>
class Registry {
 public:
  /// `what` it has: "loss".
  Registry(const char* what, std::vector<Type> types) : what_(what), types_(std::move(types)) {}

  const std::vector<Type>& all() const { return types_; }
  /// Error: the name is taken.
  void add(Type type) {
    if (find(type.name) != types_.end()) fail("there is a ", what_, " ", type.name, " already");
    types_.push_back(std::move(type));
  }
  /// Error that lists what there is.
  const Type& at(const std::string& name) const {
    const auto type = find(name);
    if (type == types_.end())
      fail("there is no ", what_, " \"", name, "\"; there are ", join(types_, ", ", &Type::name));
    return *type;
  }

 private:
  auto find(const std::string& name) const {
    return std::find_if(types_.begin(), types_.end(), [&](const Type& type) { return type.name == name; });
  }

  const char* what_;
  std::vector<Type> types_;
};

}  // namespace tesserec
