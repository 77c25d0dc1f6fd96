// SPDX-License-Identifier: Apache-2.0
/// Formulas of layers that their host and device forms share: for one number, or for one sample's.
#pragma once

#include <cmath>

#include "eight_chains.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/philox_rounds.hpp>
#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

/// Replaces p by exp(factor * p) over the sum of them, of at least one number; the sum in order.
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

/// Writes number i of what an attention's MLP reads of a target t and a vector h, n wide: x = [t, h, t - h, t * h].
TESSEREC_FUNCTION void meet(Index n, Index i, float t, float h, float* x) {
  x[i] = t;
  x[n + i] = h;
  x[2 * n + i] = t - h;
  x[3 * n + i] = t * h;
}
/// Adds to dt and dh what x's gradient says.
TESSEREC_FUNCTION void part(Index n, Index i, float t, float h, const float* dx, float& dt, float& dh) {
  dt += dx[i] + dx[2 * n + i] + dx[3 * n + i] * h;
  dh += dx[n + i] - dx[2 * n + i] + dx[3 * n + i] * t;
}

/// Factor that a number is multiplied by, by a draw in [-1, 1): 0 with probability `rate`, else 1 / (1 - rate).
struct Kept {
  explicit Kept(double rate) : below(float(2.0 * rate - 1.0)), by(float(1.0 / (1.0 - rate))) {}
  TESSEREC_FUNCTION float factor(float draw) const { return draw < below ? 0.0f : by; }
  float below, by;
};

/// The row of random numbers that a chunk's or batch's first sample has.
inline Index first_draw(const Layer::Draw& draw) { return (draw.step << 32) + draw.first_sample; }

/// Adds x to its sums and its squares to theirs: in double, for the difference of two large squares is what counts.
template <class Threads>
TESSEREC_FUNCTION void add_to_fm(const Threads& threads, Index n, const float* x, EightChains<double>& sums,
                                 EightChains<double>& squares) {
  threads.walk(n, sums, [=](Index i, double sum) { return sum + double(x[i]); });
  threads.walk(n, squares, [=](Index i, double sum) { return sum + double(x[i]) * double(x[i]); });
}
TESSEREC_FUNCTION float fm_of(double sum, double squares) { return float(0.5 * (sum * sum - squares)); }
TESSEREC_FUNCTION float fm_slope(double upstream, double sum, float x) { return float(upstream * (sum - x)); }

/// Writes h = (x - mean) / deviation of a sample's n numbers and returns 1 / deviation; sums in double.
template <class Threads>
TESSEREC_FUNCTION double normalise_by(const Threads& threads, Index n, const float* x, float* h) {
  const double mean =
      threads.template chains<double>(n, [=](Index i, double sum) { return sum + double(x[i]); }) / double(n);
  const double squares =
      threads.template chains<double>(n, [=](Index i, double sum) { return sum + (x[i] - mean) * (x[i] - mean); });
  const double inverse = 1.0 / std::sqrt(squares / double(n) + 1e-5);
  threads.each(n, [=](Index i) { h[i] = float((x[i] - mean) * inverse); });
  return inverse;
}
/// Writes dx = (d - mean d - h mean (d h)) / deviation, d = weight dy; sums in double.
template <class Threads>
TESSEREC_FUNCTION void normalise_back_by(const Threads& threads, Index n, const float* weight, const float* h,
                                         const float* dy, double inverse, float* dx) {
  const double mean = threads.template chains<double>(n, [=](Index i, double sum) {
    return sum + double(weight[i] * dy[i]);
  }) / double(n);
  const double along = threads.template chains<double>(n, [=](Index i, double sum) {
    return sum + double(weight[i] * dy[i]) * h[i];
  }) / double(n);
  threads.each(n, [=](Index i) { dx[i] = float((weight[i] * dy[i] - mean - h[i] * along) * inverse); });
}

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
