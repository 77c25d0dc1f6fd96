// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include <tesserec/train/pipeline.hpp>

namespace tesserec::train {

void TrainPipelineSparseDist::seek(Index epoch, Index batch) {
  assert(!next_is_read_);
  source_.seek(epoch_ = epoch, batch);
}

void TrainPipelineSparseDist::read(data::Batch& batch) {
  step_.phases().time("next batch", [&] {
    while (!source_.next(batch)) source_.seek(++epoch_, 0);
  });
}

double TrainPipelineSparseDist::operator()(Index step, Index last) {
  at_hand_ = 1 - at_hand_;
  if (!next_is_read_) read(batches_[at_hand_]);
  data::Batch& next = batches_[1 - at_hand_];
  next_is_read_ = ahead_ && step < last;
  if (next_is_read_) read(next);
  return step_(batches_[at_hand_], next_is_read_ ? &next : nullptr, step);
}

void TrainPipelineSparseDist::drop() {
  step_.drop_next();
  next_is_read_ = false;
}

}  // namespace tesserec::train
