// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/placed.hpp>

namespace tesserec {

/// Search for values that are not finite, in several arrays with one wait.
class NotFinite {
 public:
  /// Adds an array of n values to the search. Work launched before writes them; they must not change until found().
  void add(Place place, const float* values, Index n) { arrays_.push_back({place, values, n}); }
  /// Returns the index of the first value that is not finite, or -1, for each add() since the last call, in order.
  /// Blocks until all work on `exec` and its device is done.
  std::vector<Index> found(const Exec& exec);

 private:
  struct SearchedArray {
    Place place;
    const float* values;
    Index n;
  };
  void search_device(const Exec& exec, std::span<const SearchedArray> arrays, std::span<Index> found);

  std::vector<SearchedArray> arrays_;
  DeviceVector<Index> first_;  // index of the first such value, for each array
};

}  // namespace tesserec
