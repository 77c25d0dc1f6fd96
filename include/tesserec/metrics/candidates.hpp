// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::metrics {

/// Quality of inner products at finding what was clicked.
struct CandidateMetrics {
  double candidate_recall = SumMetrics::undefined;  ///< of the clicks, how many items are among the k candidates of the
                                                    ///< highest inner product with the click's query; NaN without one
};

/// Output of two towers for this rank's samples: vectors [N, dim] of queries and of items.
struct TowerVectors {
  Index dim = 0;
  std::vector<float> queries, items;
};

/// Returns recall over all ranks' clicks (label >= 0.5). Candidates are the clicked items; equal vectors are one. Ties
/// at the border of the k count as their expectation. Exact: neither ranks nor order change a bit. Collective. Every
/// rank holds all candidates and takes 2 * dim * candidates FLOP a click.
double candidate_recall(const comm::Communicator& comm, const TowerVectors& towers, std::span<const float> labels,
                        Index k);

}  // namespace tesserec::metrics
