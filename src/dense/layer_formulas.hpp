// SPDX-License-Identifier: Apache-2.0
/// Formulas that several layers have: for one number, or for a row of them.
#pragma once

#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/row_threads.hpp>

namespace tesserec::dense {

/// Replaces p by exp(factor * p) over the sum of them, of at least one number; the sum in order.
TESSEREC_FUNCTION void softmax(Index n, float factor, float* p) {
  float most = p[0], sum = 0.0f;
  for (Index i = 1; i < n; ++i) most = most < p[i] ? p[i] : most;
  for (Index i = 0; i < n; ++i) sum += p[i] = elementary::exp(factor * (p[i] - most));
  for (Index i = 0; i < n; ++i) p[i] /= sum;
}

/// Adds products in eight chains of fma.
TESSEREC_FUNCTION float inner_product(const RowThreads& threads, Index n, const float* a, const float* b) {
  return threads.chains<float>(n, [=](Index i, float sum) { return std::fma(a[i], b[i], sum); });
}

/// Factor that a number is multiplied by, by a draw in [-1, 1): 0 with probability `rate`, else 1 / (1 - rate).
struct Kept {
  explicit Kept(double rate) : below(float(2.0 * rate - 1.0)), by(float(1.0 / (1.0 - rate))) {}
  TESSEREC_FUNCTION float factor(float draw) const { return draw < below ? 0.0f : by; }
  float below, by;
};

}  // namespace tesserec::dense
