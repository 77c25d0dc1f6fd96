// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "ranking.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/metrics/binary.hpp>

namespace tesserec::metrics {
namespace {

// The same Error on all ranks, for what only one of them may hold.
void require_numbers(const comm::Communicator& comm, std::span<const double> probabilities,
                     std::span<const float> labels) {
  Index bad[2] = {0, 0};
  for (const double p : probabilities) bad[0] += !(p >= 0 && p <= 1);
  for (const float y : labels) bad[1] += !(y >= 0 && y <= 1);
  comm.sum(std::span<Index>(bad));
  if (bad[0] > 0)
    fail("metrics: ", bad[0], " probabilities are not numbers in [0, 1]: the model's scores are not finite");
  if (bad[1] > 0) fail("metrics: ", bad[1], " labels are not numbers in [0, 1]");
}

}  // namespace

BinaryMetrics binary_metrics(const comm::Communicator& comm, std::span<const double> probabilities,
                             std::span<const float> labels, double threshold) {
  assert(probabilities.size() == labels.size());
  require_numbers(comm, probabilities, labels);
  SampleSums sums;
  sums.add(probabilities, labels, threshold);
  const Ranking ranking = rank_samples(comm, probabilities, labels);
  return {sums.over_ranks(comm).metrics(), {}, {}, ranking.auc(), ranking.auprc()};
}

}  // namespace tesserec::metrics
