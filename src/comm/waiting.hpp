// SPDX-License-Identifier: Apache-2.0
/// Flag that is set while this process waits for other ranks inside a call of MPI, for RankWatch.
#pragma once

#include <atomic>

#include <tesserec/core/index.hpp>

namespace tesserec::comm {

/// Scope of a call of MPI in which the main thread needs other ranks. It costs two stores, since it surrounds every
/// message.
class Waiting {
 public:
  Waiting() { step(); }
  ~Waiting() { step(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  /// Returns a count that is odd while an object lives, and that differs for each object.
  static Index now() { return count_.load(std::memory_order_relaxed); }

 private:
  static void step() { count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed); }
  inline static std::atomic<Index> count_ = 0;  // written by the main thread alone
};

}  // namespace tesserec::comm
