// SPDX-License-Identifier: Apache-2.0
/// What the cross networks do with one number, or with a sample's.
#pragma once

#include <cmath>

#include "eight_chains.hpp"

namespace tesserec::dense {

template <class Threads>
TESSEREC_FUNCTION float inner_product_by(const Threads& threads, Index n, const float* a, const float* b) {
  return threads.template chains<float>(n, [=](Index i, float sum) { return std::fma(a[i], b[i], sum); });
}

/// x_{l+1} of a cross, where u multiplies x_0; of a vector_cross.
TESSEREC_FUNCTION float crossed(float x0, float u, float x) { return x0 * u + x; }
TESSEREC_FUNCTION float crossed(float x0, float s, float bias, float x) { return x0 * s + bias + x; }

/// One expert's part of out. p: its share.
TESSEREC_FUNCTION void add_expert_to(float& out, float p, float x0, float u, float bias) { out += p * x0 * (u + bias); }
/// Forward output of one expert for a sample: its share, its products without a bias, and the layer's bias.
struct ExpertOutput {
  float p;
  const float *u, *bias;
};
/// du = p g x0; dx0 grows; the result is g . (x0 (u + bias)), dloss/dp.
template <class Threads>
TESSEREC_FUNCTION float expert_back_by(const Threads& threads, Index n, const ExpertOutput& of, const float* g,
                                       const float* x0, float* du, float* dx0) {
  const float p = of.p;
  const float *const u = of.u, *const bias = of.bias;
  threads.each(n, [=](Index i) {
    du[i] = p * g[i] * x0[i];
    dx0[i] += p * g[i] * (u[i] + bias[i]);
  });
  return threads.template chains<float>(
      n, [=](Index i, float sum) { return std::fma(g[i] * x0[i], u[i] + bias[i], sum); });
}

}  // namespace tesserec::dense
