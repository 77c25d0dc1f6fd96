// SPDX-License-Identifier: Apache-2.0
/// Smooth activations y = f(x) of one value, and their derivatives f'(x).
#pragma once

#include <cassert>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/layers/activation.hpp>

namespace tesserec::layers {

struct Sigmoid {
  TESSEREC_FUNCTION static float of(float x) { return elementary::sigmoid(x); }
  TESSEREC_FUNCTION static float slope(float x) {
    const float p = elementary::sigmoid(x);
    return p * (1.0f - p);
  }
};
struct Tanh {
  TESSEREC_FUNCTION static float of(float x) { return elementary::tanh(x); }
  TESSEREC_FUNCTION static float slope(float x) {
    const float t = elementary::tanh(x);
    return (1.0f - t) * (1.0f + t);
  }
};
struct Gelu {
  TESSEREC_FUNCTION static float of(float x) { return x * normal_below(x); }
  TESSEREC_FUNCTION static float slope(float x) {
    constexpr float normal_peak = 0.39894228f;  // 1 / sqrt(2 pi)
    return std::fma(x, normal_peak * elementary::exp(-0.5f * x * x), normal_below(x));
  }
  /// Returns the standard normal distribution function at x.
  TESSEREC_FUNCTION static float normal_below(float x) {
    constexpr float sqrt_half = 0.70710678f;
    return 0.5f * (1.0f + elementary::erf(x * sqrt_half));
  }
};
struct Swish {
  TESSEREC_FUNCTION static float of(float x) { return x * elementary::sigmoid(x); }
  TESSEREC_FUNCTION static float slope(float x) {
    const float p = elementary::sigmoid(x);
    return p * std::fma(x, 1.0f - p, 1.0f);
  }
};

/// Loop bodies that compute y = f(x), and dy = dy f'(x), for element i.
template <class Formula>
struct Activate {
  const float* x;
  float* y;
  TESSEREC_FUNCTION void operator()(Index i) const { y[i] = Formula::of(x[i]); }
};
template <class Formula>
struct ActivateBack {
  const float* x;
  float* dy;
  TESSEREC_FUNCTION void operator()(Index i) const { dy[i] *= Formula::slope(x[i]); }
};

/// Calls call.template operator()<Formula>() with the formula of a smooth activation.
template <class Call>
void with_formula(Activation activation, const Call& call) {
  switch (activation) {
    case Activation::sigmoid:
      return call.template operator()<Sigmoid>();
    case Activation::tanh:
      return call.template operator()<Tanh>();
    case Activation::gelu:
      return call.template operator()<Gelu>();
    default:
      assert(activation == Activation::swish);
      return call.template operator()<Swish>();
  }
}

}  // namespace tesserec::layers
