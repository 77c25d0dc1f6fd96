// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <tesserec/optim/rules.hpp>

namespace tesserec::optim {

StepScalars step_scalars(const Settings& settings, double lr, Index step) {
  assert(step >= 1);
  const bool decoupled = settings.decay == Decay::decoupled;
  StepScalars s;
  s.type = settings.type;
  s.elementwise = info(settings.type).elementwise();
  s.lr = lr;
  s.eps = settings.eps;
  s.beta1 = settings.beta1;
  s.beta2 = settings.beta2;
  s.rest1 = 1.0 - settings.beta1;
  s.rest2 = 1.0 - settings.beta2;
  s.l2 = decoupled ? 0.0f : float(settings.weight_decay);
  s.decoupled = decoupled ? float(settings.weight_decay) : 0.0f;
  s.shrink = decoupled ? float(1.0 - lr * settings.weight_decay) : 1.0f;
  s.correction1 = mean_correction(settings.beta1, step);
  s.correction2 = root_correction(settings.beta2, step);
  s.momentum = settings.momentum;
  s.eta = settings.eta;
  s.forget = lr * settings.ar_alpha;
  s.min_shrinkage = settings.min_shrinkage;
  s.step = step;
  s.exact_beta1 = settings.beta1;
  s.exact_beta2 = settings.beta2;
  return s;
}

}  // namespace tesserec::optim
