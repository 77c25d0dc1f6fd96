// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/metrics/candidates.hpp>
#include <tesserec/metrics/groups.hpp>
#include <tesserec/metrics/score_bins.hpp>

namespace tesserec::metrics {

/// Quality of a click model on a set of samples.
struct BinaryMetrics : SumMetrics, GroupMetrics, CandidateMetrics {
  double auc = undefined;    ///< area under the ROC curve, ties counted as half; NaN when only one class is there
  double auprc = undefined;  ///< average precision, sum of (recall - recall before) * precision over the distinct
                             ///< scores, highest first; NaN without a click
  ScoreBins bins{};
};

/// Exact metrics of the samples of all ranks: AUC by integer counts, sums by 128-bit fixed point, so that neither the
/// number of ranks nor the order of samples changes a bit. Those of groups and candidates stay NaN. Collective. Each
/// rank gives its own samples; where none has weights, all weigh 1.
BinaryMetrics binary_metrics(const comm::Communicator& comm, std::span<const double> probabilities,
                             std::span<const float> labels, std::span<const float> weights = {},
                             double threshold = 0.5);

}  // namespace tesserec::metrics
