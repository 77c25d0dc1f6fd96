// SPDX-License-Identifier: Apache-2.0
/// Sums over a sample's numbers in eight chains, number i in chain i % 8, added in pairs: they fit registers of any
/// width, or eight threads of a device.
#pragma once

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {

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

template <class T, class Step>
TESSEREC_FUNCTION T eight_chains(Index n, const Step& step) {
  EightChains<T> chains;
  chains.walk(n, step);
  return chains.total();
}

/// Row executor for one thread; row_threads.hpp has one for a group of eight.
struct OneThread {
  static constexpr int count = 1;
  TESSEREC_FUNCTION bool first() const { return true; }
  /// body(i) for i in [0, n).
  template <class Body>
  TESSEREC_FUNCTION void each(Index n, const Body& body) const {
    for (Index i = 0; i < n; ++i) body(i);
  }
  /// sum = step(i, sum), in each of eight chains; more of them, over several runs of numbers; and what they add to.
  template <class T, class Step>
  TESSEREC_FUNCTION void walk(Index n, EightChains<T>& chains, const Step& step) const {
    chains.walk(n, step);
  }
  template <class T>
  TESSEREC_FUNCTION T total(const EightChains<T>& chains) const {
    return chains.total();
  }
  template <class T, class Step>
  TESSEREC_FUNCTION T chains(Index n, const Step& step) const {
    return eight_chains<T>(n, step);
  }
};

}  // namespace tesserec::dense
