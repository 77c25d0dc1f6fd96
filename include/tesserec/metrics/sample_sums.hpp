// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <tesserec/metrics/fixed_point.hpp>

namespace tesserec::metrics {

/// A label from here on is a click.
inline constexpr float click_threshold = 0.5f;

/// Metrics that are quotients of sums over samples, each times its weight. p is a probability, y its label in [0, 1]; p
/// is predicted a click from the threshold on. Without samples, or with all weights 0, all are NaN.
struct SumMetrics {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  Index samples = 0;
  double log_loss = undefined;     ///< mean, natural logarithm, p clamped to [1e-12, 1 - 1e-12]
  double ne = undefined;           ///< log loss over the entropy of ctr (He et al., ADKDD 2014); NaN for one class
  double calibration = undefined;  ///< mean probability over mean label; NaN without a positive
  double ctr = undefined;          ///< mean label
  double accuracy = undefined;     ///< share of samples that are clicks and predicted so, or neither
  double precision = undefined;    ///< share of clicks in those predicted; 0 where none is
  double recall = undefined;       ///< share of those predicted in the clicks; 0 where there is none
  double f1 = undefined;           ///< harmonic mean of precision and recall; 0 where both are
  double mse = undefined;          ///< mean of (p - y)^2
  double rmse = undefined;         ///< its square root
  double mae = undefined;          ///< mean of |p - y|
};

/// Sums that they are made of: ten integers, so that parts of the samples come and go in any order without a trace.
class SampleSums {
 public:
  /// [N] each, p and y in [0, 1]; no weights: all are 1.
  void add(std::span<const double> probabilities, std::span<const float> labels, std::span<const float> weights,
           double threshold);
  SampleSums& operator+=(const SampleSums& other);
  SampleSums& operator-=(const SampleSums& other);
  /// Collective: those of all ranks.
  SampleSums over_ranks(const comm::Communicator& comm) const;
  SumMetrics metrics() const;

  /// For files: so many integers, low halves before high ones.
  static constexpr Index words = 20;
  void append_to(std::vector<std::int64_t>& values) const;
  static SampleSums from(std::span<const std::int64_t> values);

 private:
  enum Of { samples, weight, clicks, predicted, hits, loss, probability, label, squared_error, absolute_error, count };
  double total(Of what) const;

  std::array<Unsigned128, count> sums_{};
};

}  // namespace tesserec::metrics
