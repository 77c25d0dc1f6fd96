// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <cmath>

#include "ranking.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/metrics/binary.hpp>

namespace tesserec::metrics {
namespace {

// Largest weight that AUC and AUPRC round to nothing: half of their unit (ranking.cpp).
constexpr float lost_weight = 0x1p-33f;

// The same Error on all ranks, for what only one of them may hold.
void require_numbers(const comm::Communicator& comm, std::span<const double> probabilities,
                     std::span<const float> labels, std::span<const float> weights) {
  Index bad[5] = {0, 0, 0, 0, 0};
  for (const double p : probabilities) bad[0] += !(p >= 0 && p <= 1);
  for (const float y : labels) bad[1] += !(y >= 0 && y <= 1);
  double weight = 0;
  for (const float w : weights) {
    bad[2] += !(w >= 0);
    bad[4] += w > 0 && w <= lost_weight;
    weight += std::max(w, 0.0f);
  }
  bad[3] = Index(std::ceil(std::min(weight, most_weight)));
  comm.sum(std::span<Index>(bad));
  if (bad[0] > 0)
    throw Diverged(
        concat("metrics: ", bad[0], " probabilities are not numbers in [0, 1]: the model's scores are not finite"));
  if (bad[1] > 0) fail("metrics: ", bad[1], " labels are not numbers in [0, 1]");
  if (bad[2] > 0) fail("metrics: ", bad[2], " weights are not numbers from 0 on");
  if (double(bad[3]) >= most_weight)
    fail("metrics: the samples' weights sum to ", Index(most_weight), " or more; divide them by a constant");
  if (bad[4] > 0 && comm.rank() == 0)
    log_warning(
        concat("metrics: ", counted(bad[4], "sample"), bad[4] == 1 ? " has" : " have",
               " a weight of 2^-33 or less, which counts as 0 in AUC and AUPRC; multiply all weights by a constant"));
}

}  // namespace

BinaryMetrics binary_metrics(const comm::Communicator& comm, std::span<const double> probabilities,
                             std::span<const float> labels, std::span<const float> weights, double threshold) {
  assert(probabilities.size() == labels.size());
  require_numbers(comm, probabilities, labels, weights);
  SampleSums sums;
  sums.add(probabilities, labels, weights, threshold);
  const Ranking ranking = rank_samples(comm, probabilities, labels, weights);
  return {sums.over_ranks(comm).metrics(),        {}, {}, ranking.auc(), ranking.auprc(),
          score_bins(comm, probabilities, labels)};
}

}  // namespace tesserec::metrics
