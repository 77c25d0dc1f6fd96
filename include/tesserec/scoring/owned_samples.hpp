// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/scoring/scoring_context.hpp>

namespace tesserec::scoring {

/// Bags of a feature, in memory of their own.
struct SampleBags {
  std::vector<Index> offsets, ids;
  std::vector<float> weights;
  bool shared = false;  ///< one bag, which all samples have
};

/// Samples to score, in memory of their own.
struct OwnedSamples {
  Index samples = 0;
  std::vector<float> dense;        ///< [samples, dense features], or one row if shared
  bool shared_dense = false;       ///< true if all samples have the one row of `dense`
  std::vector<SampleBags> sparse;  ///< in the order of ServedModel::features()

  /// Returns the features as a context reads them, valid while this object does not change.
  std::vector<ScoredBags> bags() const;
};

}  // namespace tesserec::scoring
