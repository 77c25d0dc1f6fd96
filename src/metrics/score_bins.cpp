// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/metrics/sample_sums.hpp>
#include <tesserec/metrics/score_bins.hpp>

namespace tesserec::metrics {

ScoreBins score_bins(const comm::Communicator& comm, std::span<const double> probabilities,
                     std::span<const float> labels) {
  constexpr int count = ScoreBins::count;
  std::vector<Index> counts(2 * count);  // samples of each bin, then clicks
  std::vector<FixedPoint> sums(count);
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const int bin = std::min(int(probabilities[i] * count), count - 1);
    counts[bin] += 1;
    counts[count + bin] += labels[i] >= click_threshold;
    sums[bin].add(probabilities[i]);
  }
  comm.sum(std::span<Index>(counts));
  std::vector<Unsigned128> units;
  for (const FixedPoint& sum : sums) units.push_back(static_cast<Unsigned128>(sum.units()));
  sum(comm, std::span<Unsigned128>(units));
  ScoreBins bins{{counts.begin(), counts.begin() + count}, {counts.begin() + count, counts.end()}, {}};
  for (const Unsigned128 sum : units) bins.scores.push_back(FixedPoint(Int128(sum)).value());
  return bins;
}

}  // namespace tesserec::metrics
