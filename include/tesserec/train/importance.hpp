// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/data/source.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/session.hpp>

namespace tesserec::train {

/// The loss of a model without a feature: metrics where its values are permuted among the samples, so that each sample
/// has those of another one.
struct Importance {
  std::string feature;
  bool dense = false;  ///< a number, else ids
  metrics::BinaryMetrics permuted;
};

/// The importance of each feature that the model reads, numbers first, in the order of the source: one pass over an
/// epoch for each. The permutation is a function of run.seed and the feature's place, so that the bits are the same on
/// any number of ranks. Every rank holds one feature of all samples at a time. Collective; throws Stopped on all ranks
/// after a signal on one.
std::vector<Importance> importance(Session& session, data::Source& source);

}  // namespace tesserec::train
