// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::metrics {

/// What AUC and AUPRC are quotients of. Samples count in units, of which a weight of 1 has 2^32, or 1 where there are
/// no weights.
struct Ranking {
  Unsigned128 half_pairs = 0;  ///< 2 for a click scored above a non-click, 1 for equal scores, times both their units
  FixedPoint
      precisions;  ///< sum over the clicks of their weight times the precision among all scored as high or higher
  Index clicks = 0;
  Index others = 0;
  double unit = 1;  ///< weight of one

  /// NaN with one class.
  double auc() const;
  /// NaN without a click.
  double auprc() const;
};

/// Collective, over the samples of all ranks; scores are not negative and not NaN. Weights are rounded to units, and
/// all together below most_weight.
inline constexpr double most_weight = 0x1p30;
Ranking rank_samples(const comm::Communicator& comm, std::span<const double> scores, std::span<const float> labels,
                     std::span<const float> weights);

}  // namespace tesserec::metrics
