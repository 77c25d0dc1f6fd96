// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/synthetic_source.hpp>

namespace tesserec::data {

/// Source of samples that are drawn one after the other. Every rank draws whole batches from the epoch's first on and
/// keeps its own samples. Each epoch restarts from the seed, as in the reference.
class SequentialSource : public Source {
 public:
  /// Returns a function that fills batches of the samples from the epoch's first on.
  using Restart = std::function<SyntheticSource::Fill()>;

  /// Takes the facts, the deal, which must not shuffle, and the function that restarts the generator.
  SequentialSource(SourceInfo info, const Deal& deal, Restart restart);

  const SourceInfo& info() const override { return info_; }
  bool next(Batch& batch) override;
  void seek(Index epoch, Index batch) override;

 private:
  /// Draws the next batch of all ranks into whole_.
  void draw();

  SourceInfo info_;
  Restart restart_;
  SyntheticSource::Fill fill_;
  Deal deal_;
  SampleOrder order_;
  Index batch_ = 0;
  Index drawn_ = 0;  // batches of this epoch that were drawn
  std::optional<Batch> whole_;
};

}  // namespace tesserec::data
