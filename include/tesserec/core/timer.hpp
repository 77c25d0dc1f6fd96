// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>

namespace tesserec {

/// Returns the seconds of a clock that never goes back.
inline double seconds_now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// A stopwatch that starts when it is made.
class Timer {
 public:
  double seconds() const { return seconds_now() - start_; }
  void reset() { start_ = seconds_now(); }

 private:
  double start_ = seconds_now();
};

}  // namespace tesserec
