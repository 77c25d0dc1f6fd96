// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/index.hpp>

namespace tesserec::dense {

/// In place: exp(factor * p) over the sum of them, of at least one number; the sum in order.
TESSEREC_FUNCTION void softmax_of(Index n, float factor, float* p) {
  float most = p[0], sum = 0.0f;
  for (Index i = 1; i < n; ++i) most = most < p[i] ? p[i] : most;
  for (Index i = 0; i < n; ++i) sum += p[i] = elementary::exp(factor * (p[i] - most));
  for (Index i = 0; i < n; ++i) p[i] /= sum;
}
/// The gradient of p -> that of the numbers, in place, where p = softmax(scale * numbers).
TESSEREC_FUNCTION void softmax_back_of(Index n, float scale, const float* p, float* d) {
  float mean = 0.0f;
  for (Index i = 0; i < n; ++i) mean = std::fma(p[i], d[i], mean);
  for (Index i = 0; i < n; ++i) d[i] = scale * p[i] * (d[i] - mean);
}
/// The same of few numbers and without a scale, where nothing is fused.
TESSEREC_FUNCTION void shares_back_of(Index n, const float* p, float* d) {
  float mean = 0.0f;
  for (Index i = 0; i < n; ++i) mean += p[i] * d[i];
  for (Index i = 0; i < n; ++i) d[i] = p[i] * (d[i] - mean);
}

}  // namespace tesserec::dense
