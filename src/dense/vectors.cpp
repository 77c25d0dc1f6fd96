// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"

#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {

TESSEREC_KERNEL void add(Index n, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

TESSEREC_KERNEL void add_scaled(Index n, float factor, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] = std::fma(factor, from[i], to[i]);
}

TESSEREC_KERNEL void scale(Index n, float factor, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] = factor * from[i];
}

TESSEREC_KERNEL void softmax(Index n, float factor, float* p) {
  float most = p[0], sum = 0.0f;
  for (Index i = 1; i < n; ++i) most = std::max(most, p[i]);
  for (Index i = 0; i < n; ++i) sum += p[i] = elementary::exp(factor * (p[i] - most));
  for (Index i = 0; i < n; ++i) p[i] /= sum;
}

TESSEREC_KERNEL float inner_product(Index n, const float* a, const float* b) {
  float sums[8] = {};
  Index i = 0;
  for (; i + 8 <= n; i += 8)
    for (Index k = 0; k < 8; ++k) sums[k] = std::fma(a[i + k], b[i + k], sums[k]);
  for (Index k = 0; i + k < n; ++k) sums[k] = std::fma(a[i + k], b[i + k], sums[k]);
  return ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
}

}  // namespace tesserec::dense
