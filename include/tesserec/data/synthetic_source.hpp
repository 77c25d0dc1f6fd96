// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>

#include <tesserec/data/batch.hpp>
#include <tesserec/data/sample_order.hpp>

namespace tesserec::data {

/// Batches of samples that are made on the fly from their numbers, in the order that the deal says. The base of a
/// source of one's own whose samples are a function of their number.
class SyntheticSource : public Source {
 public:
  /// Fills the batch with the samples of these numbers, which are some of a global batch of the size given.
  using Fill = std::function<void(std::span<const Index>, Index, Batch&)>;

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
  Index batch_ = 0;  // of the order
};

}  // namespace tesserec::data
