// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// Metrics without a feature, whose values are permuted among the samples.
struct Importance {
  std::string feature;
  bool dense = false;  ///< a number, else ids
  metrics::BinaryMetrics permuted;
};

/// Returns the importance of each feature the model reads, numbers first, in the source's order: an epoch each.
/// Permutations depend on run.seed and the feature's place, so bits are the same on any number of ranks. Every rank
/// holds one feature of all samples. Collective; throws Stopped on all ranks after a signal on one.
std::vector<Importance> importance(Session& session, data::Source& source);

}  // namespace tesserec::train
