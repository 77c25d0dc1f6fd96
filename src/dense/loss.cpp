// SPDX-License-Identifier: Apache-2.0
#include "loss_formulas.hpp"
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {

TESSEREC_KERNEL LossValue loss_of_probability(const SampleLoss& settings, double probability, double label) {
  return LossFormula(settings).of_probability(probability, label);
}

TESSEREC_KERNEL LossValue loss_of_logit(const SampleLoss& settings, double logit, double label) {
  return LossFormula(settings).of_logit(logit, label);
}

TESSEREC_KERNEL double probability(const SampleLoss& settings, double logit) {
  return LossFormula(settings).prediction(logit);
}

TESSEREC_KERNEL void loss_and_gradient(const SampleLoss& settings, const LabelledLogits& of, double& sum,
                                       float* gradient) {
  const LossFormula formula(settings);
  const auto [rows, samples, logits, labels, weights] = of;
  const double n = samples;
  for (Index i = 0; i < rows; ++i) {
    const LossValue loss = formula.of_logit(logits[i], labels[i]);
    const double weight = weights == nullptr ? 1.0 : weights[i];
    sum += weight * loss.value;
    gradient[i] = weight * loss.gradient / n;
  }
}

}  // namespace tesserec::dense
