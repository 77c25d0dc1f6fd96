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

}  // namespace tesserec::dense
