// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include <tesserec/metrics/fixed_point.hpp>

namespace tesserec::metrics {

/// Label from which a sample is a click.
inline constexpr float click_threshold = 0.5f;

/// Metrics that are quotients of weighted sums over samples. p is a sample's probability and y its label in [0, 1]. A
/// click is predicted if p is at least the threshold. All metrics are NaN without samples, or if all weights are 0.
struct SumMetrics {
  static constexpr double undefined = std::numeric_limits<double>::quiet_NaN();
  Index samples = 0;
  double log_loss = undefined;     ///< mean, natural logarithm, p clamped to [1e-12, 1 - 1e-12]
  double ne = undefined;           ///< log loss over the entropy of ctr (He et al., ADKDD 2014); NaN for one class
  double calibration = undefined;  ///< mean probability over mean label; NaN without a positive
  double ctr = undefined;          ///< mean label
  double accuracy = undefined;     ///< share of samples whose prediction is right
  double precision = undefined;    ///< share of clicks in the predicted clicks; 0 if none is predicted
  double recall = undefined;       ///< share of predicted clicks in the clicks; 0 without a click
  double f1 = undefined;           ///< harmonic mean of precision and recall; 0 if both are 0
  double mse = undefined;          ///< mean of (p - y)^2
  double rmse = undefined;         ///< square root of mse
  double mae = undefined;          ///< mean of |p - y|
};

/// Sums from which SumMetrics are computed: ten integers, so that adding and subtracting samples leaves no rounding
/// error.
class SampleSums {
 public:
  /// Adds samples [N] with p and y in [0, 1]; all weigh 1 if `weights` is empty.
  void add(std::span<const double> probabilities, std::span<const float> labels, std::span<const float> weights,
           double threshold);
  SampleSums& operator+=(const SampleSums& other);
  SampleSums& operator-=(const SampleSums& other);
  /// Returns the sums over all ranks. Collective.
  SampleSums over_ranks(const comm::Communicator& comm) const;
  /// Computes the metrics of the sums.
  SumMetrics metrics() const;

  /// Number of integers that append_to() writes: the low and the high half of each sum.
  static constexpr Index words = 20;
  /// Appends the sums as `words` integers, for files.
  void append_to(std::vector<std::int64_t>& values) const;
  /// Reads the sums that append_to() wrote.
  static SampleSums from(std::span<const std::int64_t> values);

 private:
  enum SumIndex {
    samples,
    weight,
    clicks,
    predicted,
    hits,
    loss,
    probability,
    label,
    squared_error,
    absolute_error,
    count
  };
  double total(SumIndex which) const;

  std::array<Unsigned128, count> sums_{};
};

}  // namespace tesserec::metrics
