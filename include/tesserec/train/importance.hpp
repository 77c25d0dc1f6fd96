// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Metrics of the model when one feature's values are permuted among the samples.
struct Importance {
  std::string feature;
  bool dense = false;  ///< true if the feature is dense; else sparse
  metrics::BinaryMetrics permuted;
};

/// Throws Error if the model learns several labels, whose importance nothing computes.
void require_importance(const network::Settings& model);

/// Computes the importance of each feature that the model reads, dense features first, in the source's order. Takes one
/// epoch per feature. Permutations depend on run.seed and the feature's place, so the bits are the same on any number
/// of ranks. Every rank holds one feature of all samples. Collective. Throws Stopped on all ranks after a signal on
/// one.
std::vector<Importance> importance(Session& session, data::Source& source);

}  // namespace tesserec::train
