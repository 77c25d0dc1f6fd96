// SPDX-License-Identifier: Apache-2.0
#include "vectors.hpp"

#include <cmath>

#include "layer_formulas.hpp"
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

TESSEREC_KERNEL void softmax(Index n, float factor, float* p) { softmax_of(n, factor, p); }

TESSEREC_KERNEL float inner_product(Index n, const float* a, const float* b) {
  return inner_product_by(OneThread(), n, a, b);
}

}  // namespace tesserec::dense
