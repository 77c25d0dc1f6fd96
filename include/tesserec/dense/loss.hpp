// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>

#include <tesserec/core/index.hpp>

/// Losses of one sample: what the loss types bce, mse and wbce are made of.
namespace tesserec::dense {

enum class Loss { bce, mse, wbce };

/// Loss of one sample's probability, as the reference DLRM has it. p = 1 / (1 + exp(-logit)), y the label.
///   mse: (p - y)^2.  bce: -y log p - (1 - y) log(1 - p), each logarithm cut at -100.
///   wbce: weight[y] * bce, y truncated to 0 or 1; a mean over samples, not over weights.
/// A threshold t clamps p to [t, 1 - t] first; its gradient is 0 outside, 1 inside and on the border.
struct SampleLoss {
  Loss type = Loss::bce;
  double threshold = 0.0;  ///< 0 = off
  std::array<double, 2> weight{1.0, 1.0};
};

/// A loss of one sample and its derivative.
struct LossValue {
  double value = 0.0;
  double gradient = 0.0;
};

/// Returns the loss of a probability and its derivative; like PyTorch's bce, divides by p (1 - p) of at least 1e-12.
LossValue loss_of_probability(const SampleLoss& settings, double probability, double label);

/// Judges a logit. bce without threshold is computed from the logit itself and cannot overflow or be cut.
LossValue loss_of_logit(const SampleLoss& settings, double logit, double label);

/// The prediction of a logit: clamped where there is a threshold.
double probability(const SampleLoss& settings, double logit);

}  // namespace tesserec::dense
