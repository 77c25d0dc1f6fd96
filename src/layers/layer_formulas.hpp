// SPDX-License-Identifier: Apache-2.0
/// Formulas for rows of values that several layers share.
#pragma once

#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/row_threads.hpp>

namespace tesserec::layers {

/// Replaces p [n], n > 0, by exp(factor * p) over the sum of these, added in order.
TESSEREC_FUNCTION void softmax(Index n, float factor, float* p) {
  float largest = p[0], sum = 0.0f;
  for (Index i = 1; i < n; ++i) largest = largest < p[i] ? p[i] : largest;
  for (Index i = 0; i < n; ++i) sum += p[i] = elementary::exp(factor * (p[i] - largest));
  for (Index i = 0; i < n; ++i) p[i] /= sum;
}

/// Replaces the gradient d [n] of p = softmax(x) by that of x.
TESSEREC_FUNCTION void softmax_back(Index n, const float* p, float* d) {
  float mean = 0.0f;
  for (Index i = 0; i < n; ++i) mean += p[i] * d[i];
  for (Index i = 0; i < n; ++i) d[i] = p[i] * (d[i] - mean);
}

/// Returns the inner product of a and b [n], in eight fma chains.
TESSEREC_FUNCTION float inner_product(const RowThreads& threads, Index n, const float* a, const float* b) {
  return threads.chains<float>(n, [=](Index i, float sum) { return std::fma(a[i], b[i], sum); });
}

}  // namespace tesserec::layers
