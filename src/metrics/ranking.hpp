// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::metrics {

/// What AUC and AUPRC are quotients of.
struct Ranking {
  Unsigned128 half_pairs = 0;  ///< 2 for a click scored above a non-click, 1 for equal scores
  FixedPoint precisions;       ///< sum over the clicks of the precision among all samples scored as high or higher
  Index clicks = 0;
  Index others = 0;

  /// NaN with one class.
  double auc() const;
  /// NaN without a click.
  double auprc() const;
};

/// Collective, over the samples of all ranks; scores are not negative and not NaN.
Ranking rank_samples(const comm::Communicator& comm, std::span<const double> scores, std::span<const float> labels);

}  // namespace tesserec::metrics
