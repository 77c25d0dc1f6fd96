// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <tesserec/core/error.hpp>
#include <tesserec/train/run_length.hpp>

namespace tesserec::train {
namespace {

/// Returns the last step of the run. Throws Error if the number of steps overflows.
Index last_step(const Settings& train, Index batches) {
  const Index max_epochs = std::numeric_limits<Index>::max() / std::max<Index>(1, batches);  // largest number of epochs
  if (train.epochs > max_epochs && train.steps == 0)
    fail("train.epochs is ", train.epochs, ", but with ", batches,
         " steps per epoch the number of steps overflows; lower it, or set train.steps");
  const Index epochs = std::min(train.epochs, max_epochs);
  return train.steps > 0 ? std::min(train.steps, epochs * batches) : epochs * batches;
}

}  // namespace

RunLength::RunLength(const Settings& train, Index samples, Index batches)
    : epoch_samples(samples), batches(batches), last(last_step(train, batches)) {}

void RunLength::resume(const Position& from) {
  begun = from.step - (from.epoch * batches + from.batch);
  last += begun;
}

}  // namespace tesserec::train
