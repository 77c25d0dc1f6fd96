// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/data/source.hpp>
#include <tesserec/train/step.hpp>

namespace tesserec::train {

/// Steps over a source's batches, one batch ahead: while a batch computes, the next one is there and its ids travel to
/// the owners of the rows. The bits are those of steps one after the other. TorchRec's TrainPipelineSparseDist.
class TrainPipelineSparseDist {
 public:
  /// `ahead`: whether ids travel a batch early.
  TrainPipelineSparseDist(TrainStep& step, data::Source& source, bool ahead)
      : step_(step), source_(source), ahead_(ahead), batches_{data::Batch(step.exec()), data::Batch(step.exec())} {}

  /// Goes on with batch `batch` of epoch `epoch`, both from 0. Not while a batch is ahead.
  void seek(Index epoch, Index batch);

  /// Trains on the next batch, over the ends of epochs; `step` counts from 1, `last` is that of the run. Returns the
  /// batch's mean loss. Collective.
  double operator()(Index step, Index last);
  /// What the last call trained on.
  const data::Batch& batch() const { return batches_[at_hand_]; }

  /// Gives up the batch ahead: the run ends before its last step. Collective.
  void drop();

 private:
  void read(data::Batch& batch);

  TrainStep& step_;
  data::Source& source_;
  bool ahead_;
  Index epoch_ = 0;
  data::Batch batches_[2];
  int at_hand_ = 0;
  bool next_is_read_ = false;
};

}  // namespace tesserec::train
