// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/placed.hpp>

namespace tesserec {

/// Looks for numbers that are not finite, in several places with one wait for all.
class NotFinite {
 public:
  /// At n numbers that what was launched before has written and nobody changes until found().
  void look(Place place, const float* values, Index n) { looks_.push_back({place, values, n}); }
  /// Returns, for each look since the last call, in turn, where in it the first one is, or -1.
  std::vector<Index> found(const Exec& exec);

 private:
  struct Look {
    Place place;
    const float* values;
    Index n;
  };
  void look_there(const Exec& exec, std::span<const Look> looks, std::span<Index> found);

  std::vector<Look> looks_;
  DeviceVector<Index> first_;  // of each look
};

}  // namespace tesserec
