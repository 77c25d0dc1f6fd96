// SPDX-License-Identifier: Apache-2.0
/// What the formulas have in common. In all of them h = g + l2*w, and the decoupled decay is in `shrink`, which is
/// exactly 1 without it.
#pragma once

#include <cmath>

#include <tesserec/core/kernel.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// h.
struct Gradient {
  float l2;
  const float *w, *g;
  TESSEREC_FUNCTION float operator()(Index i) const { return std::fma(l2, w[i], g[i]); }
};

TESSEREC_FUNCTION void descend(float rate, float l2, float shrink, float* w, const float* g, Index n) {
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    w[i] = std::fma(-rate, h, shrink * w[i]);
  }
}

TESSEREC_FUNCTION void adam(const StepScalars& s, float correction1, float correction2, float* w, const float* g,
                            float* m, float* v, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink, eps = s.eps;
  const float beta1 = s.beta1, beta2 = s.beta2, rest1 = s.rest1, rest2 = s.rest2;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    m[i] = std::fma(beta1, m[i], rest1 * h);
    v[i] = std::fma(beta2, v[i], rest2 * h * h);
    w[i] = shrink * w[i] - lr * (m[i] * correction1) / (std::sqrt(v[i]) * correction2 + eps);
  }
}

/// base^n by repeated squaring.
TESSEREC_FUNCTION double power(double base, Index n) {
  double result = 1;
  for (; n > 0; n >>= 1, base *= base)
    if (n & 1) result *= base;
  return result;
}
/// Adam's, after so many steps.
TESSEREC_FUNCTION float mean_correction(double beta1, Index steps) { return 1.0 / (1.0 - power(beta1, steps)); }
TESSEREC_FUNCTION float root_correction(double beta2, Index steps) {
  return 1.0 / std::sqrt(1.0 - power(beta2, steps));
}

}  // namespace tesserec::optim
