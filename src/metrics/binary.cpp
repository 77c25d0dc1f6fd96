// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <limits>

#include "auc.hpp"
#include "fixed_point.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/metrics/binary.hpp>

namespace tesserec::metrics {
namespace {

// TorchRec's: a probability of exactly 0 or 1 has a finite loss.
constexpr double eta = 1e-12;

struct Sums {
  FixedPoint loss, probability, label;
  Index right = 0;
};

TESSEREC_KERNEL double cross_entropy(double p, double y) {
  double loss = 0;
  if (y != 0) loss -= y * elementary::log(p);
  if (y != 1) loss -= (1 - y) * elementary::log(1 - p);
  return loss;
}

Sums sums_of(std::span<const double> probabilities, std::span<const float> labels) {
  Sums sums;
  for (std::size_t i = 0; i < probabilities.size(); ++i) {
    const double p = probabilities[i], y = labels[i];
    const double q = std::clamp(p, eta, 1 - eta);
    sums.loss.add(cross_entropy(q, y));
    sums.probability.add(p);
    sums.label.add(y);
    sums.right += (p >= 0.5) == (labels[i] >= click_threshold);
  }
  return sums;
}

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
                             std::span<const float> labels) {
  assert(probabilities.size() == labels.size());
  require_numbers(comm, probabilities, labels);
  const double undefined = std::numeric_limits<double>::quiet_NaN();
  const PairCount pairs = count_pairs(comm, probabilities, labels);
  const Sums mine = sums_of(probabilities, labels);

  BinaryMetrics metrics;
  metrics.samples = comm.sum(std::ssize(probabilities));
  const double n = metrics.samples;
  const double sum_of_probabilities = sum(comm, mine.probability), sum_of_labels = sum(comm, mine.label);
  metrics.auc = pairs.auc();
  metrics.log_loss = sum(comm, mine.loss) / n;
  metrics.accuracy = double(comm.sum(mine.right)) / n;
  metrics.mean_label = sum_of_labels / n;
  metrics.calibration = sum_of_labels > 0 ? sum_of_probabilities / sum_of_labels : undefined;
  const double m = metrics.mean_label;
  metrics.ne =
      m > 0 && m < 1 ? metrics.log_loss / -(m * elementary::log(m) + (1 - m) * elementary::log1p(-m)) : undefined;
  return metrics;
}

}  // namespace tesserec::metrics
