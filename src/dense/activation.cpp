// SPDX-License-Identifier: Apache-2.0
#include <cassert>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/dense/activation.hpp>

namespace tesserec::dense {
namespace {

constexpr float sqrt_half = 0.70710678f, normal_peak = 0.39894228f;  // 1 / sqrt 2, 1 / sqrt(2 pi)

/// The normal distribution's share below x.
TESSEREC_FUNCTION float normal_below(float x) { return 0.5f * (1.0f + elementary::erf(x * sqrt_half)); }

TESSEREC_KERNEL void sigmoid(Index n, const float* x, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = elementary::sigmoid(x[i]);
}
TESSEREC_KERNEL void tanh(Index n, const float* x, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = elementary::tanh(x[i]);
}
TESSEREC_KERNEL void gelu(Index n, const float* x, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = x[i] * normal_below(x[i]);
}
TESSEREC_KERNEL void swish(Index n, const float* x, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = x[i] * elementary::sigmoid(x[i]);
}

TESSEREC_KERNEL void sigmoid_back(Index n, const float* x, float* dy) {
  for (Index i = 0; i < n; ++i) {
    const float p = elementary::sigmoid(x[i]);
    dy[i] *= p * (1.0f - p);
  }
}
TESSEREC_KERNEL void tanh_back(Index n, const float* x, float* dy) {
  for (Index i = 0; i < n; ++i) {
    const float t = elementary::tanh(x[i]);
    dy[i] *= (1.0f - t) * (1.0f + t);
  }
}
TESSEREC_KERNEL void gelu_back(Index n, const float* x, float* dy) {
  for (Index i = 0; i < n; ++i)
    dy[i] *= std::fma(x[i], normal_peak * elementary::exp(-0.5f * x[i] * x[i]), normal_below(x[i]));
}
TESSEREC_KERNEL void swish_back(Index n, const float* x, float* dy) {
  for (Index i = 0; i < n; ++i) {
    const float p = elementary::sigmoid(x[i]);
    dy[i] *= p * std::fma(x[i], 1.0f - p, 1.0f);
  }
}

struct Smooth {
  void (*forward)(Index, const float*, float*);
  void (*backward)(Index, const float*, float*);
};
Smooth smooth(Activation activation) {
  switch (activation) {
    case Activation::sigmoid:
      return {sigmoid, sigmoid_back};
    case Activation::tanh:
      return {tanh, tanh_back};
    case Activation::gelu:
      return {gelu, gelu_back};
    default:
      assert(activation == Activation::swish);
      return {swish, swish_back};
  }
}

}  // namespace

const std::vector<std::pair<std::string, Activation>>& activations() {
  static const std::vector<std::pair<std::string, Activation>> all = {
      {"none", Activation::none}, {"relu", Activation::relu}, {"sigmoid", Activation::sigmoid},
      {"tanh", Activation::tanh}, {"gelu", Activation::gelu}, {"swish", Activation::swish}};
  return all;
}

void activate(Activation activation, Index n, const float* x, float* y) { smooth(activation).forward(n, x, y); }
void activate_back(Activation activation, Index n, const float* x, float* dy) { smooth(activation).backward(n, x, dy); }

}  // namespace tesserec::dense
