// SPDX-License-Identifier: Apache-2.0
/// Sums of a row's values in eight chains, which fit vector registers of any width, or eight threads of a device. Value
/// i is added to chain i % 8, and the chains are added in pairs.
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec {

/// Eight partial sums.
template <class T>
struct EightChains {
  static constexpr Index count = 8;
  T of[count] = {};

  /// Sets of[i % 8] = step(i, of[i % 8]) for i in [0, n), in order.
  template <class Step>
  TESSEREC_FUNCTION void walk(Index n, const Step& step) {
    Index i = 0;
    for (; i + count <= n; i += count)
      for (Index k = 0; k < count; ++k) of[k] = step(i + k, of[k]);
    for (Index k = 0; i + k < n; ++k) of[k] = step(i + k, of[k]);
  }
  /// Returns the sum of the chains, added in pairs.
  TESSEREC_FUNCTION T total() const {
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
  }
};

}  // namespace tesserec
