// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/sample_order.hpp>

namespace tesserec::data {

/// Source of samples that are made on the fly from their numbers, in the order of the deal. It is the base of a user's
/// source whose samples are a function of their number.
class SyntheticSource : public Source {
 public:
  /// Fills the batch with the samples of these numbers, which belong to a global batch of the given size.
  using Fill = std::function<void(std::span<const Index>, Index, Batch&)>;

  /// Takes the facts, the deal and the function that fills batches.
  SyntheticSource(SourceInfo info, const Deal& deal, Fill fill)
      : info_(std::move(info)), order_(info_.samples, deal), fill_(std::move(fill)) {}

  const SourceInfo& info() const override { return info_; }
  void seek(Index epoch, Index batch) override {
    order_.start(epoch);
    batch_ = batch * order_.micro_batches();
  }
  bool next(Batch& batch) override {
    if (batch_ >= order_.batches()) return false;
    fill_(order_.batch(batch_), order_.batch_samples(batch_), batch);
    batch.micro_batch = order_.micro_batch(batch_);
    ++batch_;
    return true;
  }

 private:
  SourceInfo info_;
  SampleOrder order_;
  Fill fill_;
  Index batch_ = 0;  // next micro-batch of the order
};

}  // namespace tesserec::data
