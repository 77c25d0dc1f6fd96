// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::metrics {

/// Quality of inner products at retrieving the clicked items.
struct CandidateMetrics {
  double candidate_recall = SumMetrics::undefined;  ///< share of clicks whose item is among the k candidates of the
                                                    ///< highest inner product with the click's query; NaN without a
                                                    ///< click
};

/// Output of two towers for this rank's samples: vectors [N, dim] row-major of queries and of items.
struct TowerVectors {
  Index dim = 0;
  std::vector<float> queries, items;
};

/// Returns recall over all ranks' clicks (label >= 0.5). Candidates are the distinct vectors of clicked items. Ties at
/// the k-th place count as their expectation. The result is exact: its bits depend on neither ranks nor order. Every
/// rank holds all candidates and spends 2 * dim * candidates FLOP per click. Collective.
double candidate_recall(const comm::Communicator& comm, const TowerVectors& towers, std::span<const float> labels,
                        Index k);

}  // namespace tesserec::metrics
