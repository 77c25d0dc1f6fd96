// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>

#include <tesserec/metrics/sample_sums.hpp>
#include <tesserec/metrics/settings.hpp>

namespace tesserec::metrics {

/// Means over groups of samples, such as a user's. A mean omits groups in which its metric is undefined, and is NaN
/// without any group.
struct GroupMetrics {
  double gauc = SumMetrics::undefined;  ///< mean AUC of the groups with both clicks and others
  double ndcg = SumMetrics::undefined;  ///< mean NDCG of groups with a label above 0: DCG of the k highest scores over
                                        ///< that of the k largest labels. DCG is the sum of label / log2(1 + place),
                                        ///< places from 1
  double recall_at_k =
      SumMetrics::undefined;  ///< mean share of a group's clicks in its k highest scores, over groups with a click
};

/// Computes means over the groups of all ranks, with the exactness of binary_metrics(). Tied scores share the mean of
/// their places (scikit-learn's ndcg_score). Collective.
///   groups [N]: the group of each sample, any numbers
///   probabilities, labels [N]: in [0, 1]
///   k: number of highest scores, at least 1
/// All samples of a group are sent to one rank. A rank holds 24 bytes for each of its own samples and for each sample
/// that it receives, and a large group is received whole.
GroupMetrics group_metrics(const comm::Communicator& comm, std::span<const Index> groups,
                           std::span<const double> probabilities, std::span<const float> labels, Index k,
                           GroupWeight weight);

}  // namespace tesserec::metrics
