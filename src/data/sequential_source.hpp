// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/reference.hpp>
#include <tesserec/data/sample_order.hpp>

namespace tesserec::data {

/// Source of the reference's batches from a sequential stream of numbers. Every rank draws whole batches from the
/// epoch's first on and keeps its own samples. Each epoch restarts from the seed, as in the reference.
class SequentialSource : public Source {
 public:
  /// Takes the facts, the deal, which must not shuffle, and the generator's settings.
  SequentialSource(SourceInfo info, const Deal& deal, SyntheticSettings settings);

  const SourceInfo& info() const override { return info_; }
  bool next(Batch& batch) override;
  void seek(Index epoch, Index batch) override;

 private:
  /// Draws the next batch of all ranks into whole_.
  void draw();

  SourceInfo info_;
  SyntheticSettings settings_;
  Deal deal_;
  SampleOrder order_;
  Mt19937Stream uniform_;
  Index batch_ = 0;
  Index drawn_ = 0;  // batches of this epoch that were drawn
  std::optional<Batch> whole_;
};

}  // namespace tesserec::data
