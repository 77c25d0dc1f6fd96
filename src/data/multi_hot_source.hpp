// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "source_over.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/data/batch.hpp>

namespace tesserec::data {

/// Returns the facts of a source with one id per sample and feature as if it had `sizes` of them [F]. Throws Error,
/// naming data.multi_hot_sizes, if the sizes do not fit.
SourceInfo multi_hot_info(SourceInfo info, const std::vector<Index>& sizes);

/// Source that makes bags of the single ids of another source, as MLPerf's DLRM v2 does (mlcommons/training,
/// torchrec_dlrm/multi_hot.py): a bag is the id and sizes[f] - 1 ids that are uniform over the feature's rows. They are
/// a function of (seed, name of the feature, id, place in the bag), so an id has the same bag in all samples.
class MultiHotSource : public SourceOver {
 public:
  /// Takes the source, the bag length of each of its features, and the seed. Throws the Errors of multi_hot_info().
  MultiHotSource(std::unique_ptr<Source> source, const std::vector<Index>& sizes, std::uint64_t seed);

  /// Reads a batch. Throws Error, naming feature and sample of the batch, for a bag that is not one id.
  bool next(Batch& batch) override;

 private:
  void require_single(const Batch& batch) const;
  /// Writes the bags of a feature's ids [size] to `bags` [size, sizes[f]].
  void fill(std::size_t feature, const Index* ids, Index size, Index* bags) const;

  std::vector<Random> random_;  ///< numbers of each feature [F]
  Vector<Index> values_;        ///< buffer of the ids, exchanged with the batch's
};

}  // namespace tesserec::data
