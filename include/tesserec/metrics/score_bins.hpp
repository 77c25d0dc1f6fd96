// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::metrics {

/// Samples by predicted score, for a histogram and a calibration curve. Bin b has scores in [b / 100, (b + 1) / 100),
/// and the last bin also 1. Each sample counts once, whatever its weight.
struct ScoreBins {
  static constexpr int count = 100;
  std::vector<Index> samples;  ///< samples of each bin [count]
  std::vector<Index> clicks;   ///< clicks of each bin [count]
  std::vector<double> scores;  ///< sum of scores of each bin [count], exact as the metrics' sums
};

/// Counts the samples of all ranks in bins. Each rank gives its own samples [N], with probabilities and labels in [0,
/// 1]. Collective.
ScoreBins score_bins(const comm::Communicator& comm, std::span<const double> probabilities,
                     std::span<const float> labels);

}  // namespace tesserec::metrics
