// SPDX-License-Identifier: Apache-2.0
/// Sums over a row's numbers in eight chains, number i in chain i % 8, added in pairs: they fit registers of any width,
/// or eight threads of a device.
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec {

template <class T>
struct EightChains {
  static constexpr Index count = 8;
  T of[count] = {};

  /// of[i % 8] = step(i, of[i % 8]) for i in [0, n) in order.
  template <class Step>
  TESSEREC_FUNCTION void walk(Index n, const Step& step) {
    Index i = 0;
    for (; i + count <= n; i += count)
      for (Index k = 0; k < count; ++k) of[k] = step(i + k, of[k]);
    for (Index k = 0; i + k < n; ++k) of[k] = step(i + k, of[k]);
  }
  TESSEREC_FUNCTION T total() const {
    return ((of[0] + of[1]) + (of[2] + of[3])) + ((of[4] + of[5]) + (of[6] + of[7]));
  }
};

}  // namespace tesserec
