// SPDX-License-Identifier: Apache-2.0
/// Loss, gradient and prediction of one sample.
#pragma once

#include "src/losses/loss_formulas.hpp"

namespace tesserec::losses {

inline LossValue loss_of_probability(const SampleLoss& settings, double probability, double label) {
  return LossFormula(settings).of_probability(probability, label);
}
inline LossValue loss_of_logit(const SampleLoss& settings, double logit, double label) {
  return LossFormula(settings).of_logit(logit, label);
}
inline double probability(const SampleLoss& settings, double logit) { return LossFormula(settings).prediction(logit); }

}  // namespace tesserec::losses
