// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <mutex>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

/// Counter of reads that have not ended yet, with the first error.
class PendingReads {
 public:
  void begin(Index count) {
    const std::lock_guard lock(mutex_);
    open_ += count;
  }
  void end(int error) {
    const std::lock_guard lock(mutex_);
    if (error != 0 && error_ == 0) error_ = error;
    if (--open_ == 0) ended_.notify_all();
  }
  /// Blocks until all reads have ended. Returns the first errno so far, or 0.
  int wait() {
    std::unique_lock lock(mutex_);
    ended_.wait(lock, [&] { return open_ == 0; });
    return error_;
  }

 private:
  std::mutex mutex_;
  std::condition_variable ended_;
  Index open_ = 0;
  int error_ = 0;
};

}  // namespace tesserec::tiers
