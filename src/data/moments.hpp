// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

namespace tesserec::data {

/// Count, mean and sum of squared deviations: Welford (1962) for one more number, Chan, Golub and LeVeque (1983) for
/// two sets. Bits depend on the order, which the callers fix: rows in order within a text block, then blocks in order.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double x) {
    count += 1;
    const double gap = x - mean;
    mean += gap / count;
    squares = std::fma(gap, x - mean, squares);
  }
  void add(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count;
    const double gap = other.mean - mean;
    squares += std::fma(gap * gap, count * (other.count / total), other.squares);
    mean = std::fma(gap, other.count / total, mean);
    count = total;
  }
  /// Returns the deviation of all numbers; 1 where they do not differ, so that dividing by it is always right.
  double standard_deviation() const { return squares > 0 ? std::sqrt(squares / count) : 1.0; }
};

}  // namespace tesserec::data
