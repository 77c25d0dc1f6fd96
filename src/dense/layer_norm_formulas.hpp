// SPDX-License-Identifier: Apache-2.0
/// Of a sample's n numbers; sums in double.
#pragma once

#include <cmath>

#include "eight_chains.hpp"

namespace tesserec::dense {

/// h = (x - mean) / deviation; 1 / deviation.
template <class Threads>
TESSEREC_FUNCTION double normalise_by(const Threads& threads, Index n, const float* x, float* h) {
  const double mean =
      threads.template chains<double>(n, [=](Index i, double sum) { return sum + double(x[i]); }) / double(n);
  const double squares =
      threads.template chains<double>(n, [=](Index i, double sum) { return sum + (x[i] - mean) * (x[i] - mean); });
  const double inverse = 1.0 / std::sqrt(squares / double(n) + 1e-5);
  threads.each(n, [=](Index i) { h[i] = float((x[i] - mean) * inverse); });
  return inverse;
}
/// dx = (d - mean d - h mean (d h)) / deviation, d = weight dy.
template <class Threads>
TESSEREC_FUNCTION void normalise_back_by(const Threads& threads, Index n, const float* weight, const float* h,
                                         const float* dy, double inverse, float* dx) {
  const double mean = threads.template chains<double>(n, [=](Index i, double sum) {
    return sum + double(weight[i] * dy[i]);
  }) / double(n);
  const double along = threads.template chains<double>(n, [=](Index i, double sum) {
    return sum + double(weight[i] * dy[i]) * h[i];
  }) / double(n);
  threads.each(n, [=](Index i) { dx[i] = float((weight[i] * dy[i] - mean - h[i] * along) * inverse); });
}

}  // namespace tesserec::dense
