// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>

#include "fixed_point.hpp"
#include <tesserec/comm/communicator.hpp>

namespace tesserec::metrics {

/// A label from here on is a click.
inline constexpr float click_threshold = 0.5f;

/// What the AUC is the quotient of.
struct PairCount {
  Unsigned128 half_pairs = 0;  ///< 2 for a click scored above a non-click, 1 for equal scores
  Index clicks = 0;
  Index others = 0;

  /// NaN with one class.
  double auc() const;
};

/// Collective, over the samples of all ranks; scores are not negative and not NaN.
PairCount count_pairs(const comm::Communicator& comm, std::span<const double> scores, std::span<const float> labels);

}  // namespace tesserec::metrics
