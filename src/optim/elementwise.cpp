// SPDX-License-Identifier: Apache-2.0
// Rules by which a weight moves by its own numbers alone.
#include <cassert>
#include <limits>

#include "formulas.hpp"

namespace tesserec::optim {
namespace {

TESSEREC_KERNEL void move_sgd(const StepScalars& s, float* w, const float* g, Index n) {
  descend(s.lr, s.l2, s.shrink, w, g, n);
}

TESSEREC_KERNEL void move_momentum(const StepScalars& s, float* w, const float* g, float* m, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink, momentum = s.momentum;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    m[i] = std::fma(momentum, m[i], h);
    w[i] = std::fma(-lr, m[i], shrink * w[i]);
  }
}

TESSEREC_KERNEL void move_nesterov(const StepScalars& s, float* w, const float* g, float* m, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink, momentum = s.momentum;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    m[i] = std::fma(momentum, m[i], h);
    w[i] = std::fma(-lr, std::fma(momentum, m[i], h), shrink * w[i]);
  }
}

TESSEREC_KERNEL void move_adagrad(const StepScalars& s, float* w, const float* g, float* sum, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink, eps = s.eps;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    sum[i] = std::fma(h, h, sum[i]);
    w[i] = shrink * w[i] - lr * h / (std::sqrt(sum[i]) + eps);
  }
}

TESSEREC_KERNEL void move_adam(const StepScalars& s, float* w, const float* g, float* m, float* v, Index n) {
  adam(s, s.correction1, s.correction2, w, g, m, v, n);
}

TESSEREC_KERNEL void move_lion(const StepScalars& s, float* w, const float* g, float* m, Index n) {
  const float lr = s.lr, l2 = s.l2, shrink = s.shrink;
  const float beta1 = s.beta1, beta2 = s.beta2, rest1 = s.rest1, rest2 = s.rest2;
  for (Index i = 0; i < n; ++i) {
    const float h = std::fma(l2, w[i], g[i]);
    const float mixed = std::fma(beta1, m[i], rest1 * h);
    const float sign = (mixed > 0.0f ? 1.0f : 0.0f) - (mixed < 0.0f ? 1.0f : 0.0f);
    m[i] = std::fma(beta2, m[i], rest2 * h);
    w[i] = std::fma(-lr, sign, shrink * w[i]);
  }
}

}  // namespace

TESSEREC_KERNEL void limit(float scale, float most, const float* from, float* to, Index n) {
  if (most == 0.0f) most = std::numeric_limits<float>::infinity();
  for (Index i = 0; i < n; ++i) {
    const float scaled = scale * from[i];
    const float below = scaled > most ? most : scaled;
    to[i] = below < -most ? -most : below;
  }
}

void move(const StepScalars& step, float* weights, const float* gradient, const States& states, Index n) {
  switch (step.type) {
    case Type::sgd:
      return move_sgd(step, weights, gradient, n);
    case Type::momentum_sgd:
      return move_momentum(step, weights, gradient, states[0], n);
    case Type::nesterov_sgd:
      return move_nesterov(step, weights, gradient, states[0], n);
    case Type::adagrad:
      return move_adagrad(step, weights, gradient, states[0], n);
    case Type::adam:
      return move_adam(step, weights, gradient, states[0], states[1], n);
    case Type::lion:
      return move_lion(step, weights, gradient, states[0], n);
    default:
      assert(!"this type moves whole rows");
  }
}

}  // namespace tesserec::optim
