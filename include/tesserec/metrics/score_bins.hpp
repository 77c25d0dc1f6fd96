// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::metrics {

/// Samples by predicted score, for a histogram and a calibration curve. Bin b of the hundred has scores from b / 100 up
/// to (b + 1) / 100, the last also 1. Each sample counts once, whatever it weighs.
struct ScoreBins {
  static constexpr int count = 100;
  std::vector<Index> samples;  ///< [count]
  std::vector<Index> clicks;   ///< [count]
  std::vector<double> scores;  ///< [count], their sum, exact as the metrics' sums
};

/// [N] each, in [0, 1], of this rank; the bins are of all ranks. Collective.
ScoreBins score_bins(const comm::Communicator& comm, std::span<const double> probabilities,
                     std::span<const float> labels);

}  // namespace tesserec::metrics
