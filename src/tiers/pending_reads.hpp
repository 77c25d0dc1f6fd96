// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <map>
#include <mutex>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Counter of reads that have not ended yet, by batches in the order of their numbers, with the first error.
class PendingReads {
 public:
  void begin(Index batch, Index count) {
    if (count == 0) return;
    const std::lock_guard lock(mutex_);
    open_[batch] += count;
  }
  void end(Index batch, int error) {
    const std::lock_guard lock(mutex_);
    if (error != 0 && error_ == 0) error_ = error;
    if (--open_[batch] > 0) return;
    open_.erase(batch);
    ended_.notify_all();
  }
  /// Blocks until all reads up to those of `batch` have ended. Returns the first errno of any read so far, or 0.
  int wait(Index batch) {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return open_.empty() || open_.begin()->first > batch; });
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  std::map<Index, Index> open_;  // batches with reads that have not ended, and how many
  int error_ = 0;
};

}  // namespace tesserec::tiers
