// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include <tesserec/metrics/candidates.hpp>
#include <tesserec/metrics/groups.hpp>
#include <tesserec/metrics/score_bins.hpp>

namespace tesserec::metrics {

/// Quality of a click model on a set of samples.
struct BinaryMetrics : SumMetrics, GroupMetrics, CandidateMetrics {
  double auc = undefined;    ///< area under the ROC curve, ties counted as half; NaN unless both classes occur
  double auprc = undefined;  ///< average precision, sum of (recall - recall before) * precision over the distinct
                             ///< scores, highest first; NaN without a click
  ScoreBins bins{};
  /// Metrics of each label, if samples have several; then all members above but `samples` are evaluate.task's, or the
  /// means over the labels.
  std::vector<std::string> task_names = {};
  std::vector<BinaryMetrics> tasks = {};
};

/// Computes the exact metrics of the samples of all ranks. AUC uses integer counts, and sums use 128-bit fixed point.
/// The bits depend neither on the number of ranks nor on the order of samples. Each rank gives its own samples [N]; all
/// weigh 1 if `weights` is empty on every rank. `threshold`: probability from which a click is predicted. The metrics
/// of groups and candidates stay NaN. Collective.
BinaryMetrics binary_metrics(const comm::Communicator& comm, std::span<const double> probabilities,
                             std::span<const float> labels, std::span<const float> weights = {},
                             double threshold = 0.5);

}  // namespace tesserec::metrics
