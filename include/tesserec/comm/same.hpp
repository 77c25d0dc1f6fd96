// SPDX-License-Identifier: Apache-2.0
/// Comparison of the ranks' inputs. The ranks of one job must be given one deck, one program and the same files.
#pragma once

#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::comm {

/// A name and its value, as a message shows them.
struct Named {
  std::string name, value;
};

/// Formats a value so that different values have different texts: all digits of a number, every element of a list.
template <class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_enum_v<T>)
    return std::to_string(static_cast<long long>(value));
  else if constexpr (std::is_floating_point_v<T>)
    return shortest(value);
  else if constexpr (std::is_convertible_v<T, std::string>)
    return concat('"', value, '"');
  else if constexpr (requires { value.has_value(); })
    return value ? value_text(*value) : "none";
  else if constexpr (requires { value.begin(); })
    return "[" + join(value, ", ", [](const auto& element) { return value_text(element); }) + "]";
  else
    return concat(value);
}

/// List of named values for require_same().
class NamedValues {
 public:
  /// Appends a value in the form of value_text().
  template <class T>
  NamedValues& add(std::string name, const T& value) {
    list_.push_back({std::move(name), value_text(value)});
    return *this;
  }
  const std::vector<Named>& list() const { return list_; }

 private:
  std::vector<Named> list_;
};

/// Returns the ranks whose text differs from rank 0's, in ascending order. Compares 64-bit hashes (FNV-1a). Collective.
std::vector<int> ranks_that_differ(const Communicator& comm, const std::string& text);

/// Throws the same Error on all ranks unless every rank has rank 0's list: "rank 1: NAME is VALUE, rank 0 has VALUE;
/// ADVICE". The message shows the values of the first difference and names the others. Names must be unique and texts
/// free of NUL. Collective.
void require_same(const Communicator& comm, const std::vector<Named>& own, const std::string& advice);

}  // namespace tesserec::comm
