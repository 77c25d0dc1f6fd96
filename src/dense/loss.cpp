// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/dense/loss.hpp>

namespace tesserec::dense {
namespace {

/// The clamp's borders in single precision, as a probability in single precision meets them.
struct Clamp {
  double low = 0.0, high = 1.0;
  explicit Clamp(double threshold) {
    if (threshold > 0.0) {
      low = float(threshold);
      high = float(1.0 - threshold);
    }
  }
};

TESSEREC_KERNEL LossValue cross_entropy(double p, double y) {
  const double log_p = std::max(elementary::log(p), -100.0), log_q = std::max(elementary::log1p(-p), -100.0);
  return {-y * log_p - (1.0 - y) * log_q, (p - y) / std::max(p * (1.0 - p), 1e-12)};
}

double weight_of(const SampleLoss& settings, double y) { return settings.weight[y >= 1.0 ? 1 : 0]; }

}  // namespace

TESSEREC_KERNEL LossValue loss_of_probability(const SampleLoss& settings, double probability, double label) {
  const Clamp clamp(settings.threshold);
  const double p = std::clamp(probability, clamp.low, clamp.high);
  LossValue loss;
  if (settings.type == Loss::mse) {
    loss = {(p - label) * (p - label), 2.0 * (p - label)};
  } else {
    loss = cross_entropy(p, label);
    if (settings.type == Loss::wbce) {
      const double weight = weight_of(settings, label);
      loss = {weight * loss.value, weight * loss.gradient};
    }
  }
  if (probability < clamp.low || probability > clamp.high) loss.gradient = 0.0;
  return loss;
}

TESSEREC_KERNEL LossValue loss_of_logit(const SampleLoss& settings, double logit, double label) {
  const double p = elementary::sigmoid(logit);
  if (settings.type == Loss::bce && settings.threshold == 0.0)
    return {std::max(logit, 0.0) - logit * label + elementary::log1p(elementary::exp(-std::abs(logit))), p - label};
  LossValue loss = loss_of_probability(settings, p, label);
  loss.gradient *= p * elementary::sigmoid(-logit);
  return loss;
}

TESSEREC_KERNEL double probability(const SampleLoss& settings, double logit) {
  const Clamp clamp(settings.threshold);
  return std::clamp(elementary::sigmoid(logit), clamp.low, clamp.high);
}

TESSEREC_KERNEL void loss_and_gradient(const SampleLoss& settings, Index rows, Index samples, const float* logits,
                                       const float* labels, const float* weights, double& sum, float* gradient) {
  const double n = samples;
  for (Index i = 0; i < rows; ++i) {
    const LossValue loss = loss_of_logit(settings, logits[i], labels[i]);
    const double weight = weights == nullptr ? 1.0 : weights[i];
    sum += weight * loss.value;
    gradient[i] = weight * loss.gradient / n;
  }
}

}  // namespace tesserec::dense
