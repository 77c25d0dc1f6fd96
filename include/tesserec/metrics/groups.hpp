// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/metrics/sample_sums.hpp>
#include <tesserec/metrics/settings.hpp>

namespace tesserec::metrics {

/// Means over groups of samples, as those of a user. Omits groups where a metric is undefined; NaN without any.
struct GroupMetrics {
  double gauc = SumMetrics::undefined;  ///< AUC of the groups that have clicks and others
  double ndcg = SumMetrics::undefined;  ///< DCG of the k highest scores over that of the k largest labels, DCG the sum
                                        ///< of label / log2(1 + place), places from 1, of groups with a label above 0
  double recall_at_k =
      SumMetrics::undefined;  ///< share of a group's clicks in its k highest scores, of groups with one
};

/// Computes means over all ranks, exact as binary_metrics. Tied scores share their places' mean (scikit-learn's
/// ndcg_score). Collective.
///   groups [N]: the group of each sample, any numbers; probabilities and labels [N], in [0, 1]; k: at least 1.
/// A group's samples meet on one rank, 24 bytes each: a rank needs so much twice for its share of the samples, and for
/// all samples of a group that is larger than that.
GroupMetrics group_metrics(const comm::Communicator& comm, std::span<const Index> groups,
                           std::span<const double> probabilities, std::span<const float> labels, Index k,
                           GroupWeight weight);

}  // namespace tesserec::metrics
