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

RunLength::RunLength(const Settings& train, const data::SourceInfo& data, const data::Deal& deal)
    : epoch_samples(data.samples), last(last_step(train, deal.batches(data))), epoch_batches_(deal.batches(data)) {
  if (!data.windows.empty() && train.epochs != 1)
    fail("train.epochs is ", train.epochs, ", but data.window goes through time once; set it to 1");
  for (const data::TimeWindow& window : data.windows)
    window_ends_.push_back((window_ends_.empty() ? 0 : window_ends_.back()) + deal.batches(window.samples));
}

void RunLength::resume(const Position& from) {
  begun = from.step - (batches_before(from.epoch) + from.batch);
  last += begun;
}

Index RunLength::read_until(Index epoch) const {
  return window_ends_.empty() ? last : std::min(last, begun + batches_before(epoch + 1));
}

Index RunLength::batches_before(Index epoch) const {
  if (window_ends_.empty()) return epoch * epoch_batches_;
  return epoch == 0 ? 0 : window_ends_[std::size_t(epoch - 1)];
}

}  // namespace tesserec::train
