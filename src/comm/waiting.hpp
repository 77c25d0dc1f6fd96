// SPDX-License-Identifier: Apache-2.0
/// Flag that is set while this process waits for other ranks inside a call of MPI, for RankWatch.
#pragma once

#include <atomic>

#include <tesserec/core/index.hpp>

namespace tesserec::comm {

/// Lives while the main thread is in a call of MPI that needs other ranks. Two stores: it stands around every message.
class Waiting {
 public:
  Waiting() { step(); }
  ~Waiting() { step(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// Odd while one lives, another number for each.
  static Index now() { return count_.load(std::memory_order_relaxed); }

 private:
  static void step() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  inline static std::atomic<Index> count_ = 0;  // written by the main thread alone
};

}  // namespace tesserec::comm
