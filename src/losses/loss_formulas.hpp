// SPDX-License-Identifier: Apache-2.0
/// Losses of one sample for the loss types bce, mse and wbce.
#pragma once

#include <array>
#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::losses {

enum class Loss { bce, mse, wbce };

/// Loss of one sample's probability, as in the reference DLRM. p = 1 / (1 + exp(-logit)), and y is the label.
///   mse: (p - y)^2.  bce: -y log p - (1 - y) log(1 - p), each logarithm at least -100.
///   wbce: weight[y] * bce with y truncated to 0 or 1; the mean divides by samples, not by weights.
/// A threshold t first clamps p to [t, 1 - t]. The clamp's derivative is 0 outside, and 1 inside and on the bounds.
struct SampleLoss {
  Loss type = Loss::bce;
  double threshold = 0.0;  ///< 0 = off
  std::array<double, 2> weight{1.0, 1.0};
};

/// Loss of one sample and its derivative.
struct LossValue {
  double value = 0.0;
  double gradient = 0.0;
};

/// Formula of a SampleLoss, with the clamp's bounds in single precision, as for a probability in single precision.
class LossFormula {
 public:
  explicit LossFormula(const SampleLoss& s) : type_(s.type), clamps_(s.threshold != 0.0) {
    weight_[0] = s.weight[0];
    weight_[1] = s.weight[1];
    if (s.threshold > 0.0) {
      low_ = float(s.threshold);
      high_ = float(1.0 - s.threshold);
    }
  }

  /// Returns the loss of a probability and its derivative. Like PyTorch's bce, divides by p (1 - p) of at least 1e-12.
  TESSEREC_FUNCTION LossValue of_probability(double probability, double label) const {
    const double p = clamped(probability);
    const LossValue squared{(p - label) * (p - label), 2.0 * (p - label)};
    LossValue loss = type_ == Loss::mse ? squared : cross_entropy(p, label);
    if (type_ == Loss::wbce) {
      const double weight = weight_[label >= 1.0 ? 1 : 0];
      loss = {weight * loss.value, weight * loss.gradient};
    }
    if (probability < low_ || probability > high_) loss.gradient = 0.0;
    return loss;
  }
  /// Returns the loss of a logit and its derivative. Without a threshold, bce is computed from the logit itself, which
  /// neither overflows nor bounds a logarithm.
  TESSEREC_FUNCTION LossValue of_logit(double logit, double label) const {
    const double p = elementary::sigmoid(logit);
    if (type_ == Loss::bce && !clamps_)
      return {at_least(logit, 0.0) - logit * label + elementary::log1p(elementary::exp(-std::abs(logit))), p - label};
    LossValue loss = of_probability(p, label);
    loss.gradient *= p * elementary::sigmoid(-logit);
    return loss;
  }
  /// Returns the probability of a logit, clamped if there is a threshold.
  TESSEREC_FUNCTION double prediction(double logit) const { return clamped(elementary::sigmoid(logit)); }

 private:
  TESSEREC_FUNCTION static double at_least(double x, double low) { return x < low ? low : x; }
  TESSEREC_FUNCTION static double at_most(double x, double high) { return high < x ? high : x; }
  TESSEREC_FUNCTION double clamped(double p) const { return at_least(at_most(p, high_), low_); }
  TESSEREC_FUNCTION static LossValue cross_entropy(double p, double y) {
    const double log_p = at_least(elementary::log(p), -100.0), log_q = at_least(elementary::log1p(-p), -100.0);
    return {-y * log_p - (1.0 - y) * log_q, (p - y) / at_least(p * (1.0 - p), 1e-12)};
  }

  Loss type_;
  bool clamps_;
  float low_ = 0.0f, high_ = 1.0f;  // floats, since g++ 12 drops the rounding of adjacent doubles
  double weight_[2];
};

}  // namespace tesserec::losses
