// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <time.h>

#include <tesserec/core/index.hpp>

namespace tesserec::serve {

/// Short turns on a processor for the calling thread: while the object lives, the thread offers its processor to
/// waiting threads every 0.2 ms. Else one that wakes to score may wait 4 ms for the end of a turn, also of a thread of
/// less priority, where Linux schedules by EEVDF (6.6 and later). An offer costs the thread much of its share there, so
/// it makes none while it has had less than a twentieth of the time. A timer sends SIGURG, whose handler calls
/// sched_yield(); a system call that waits is restarted. Where the timer cannot be made, turns stay as they are.
class ShortTurns {
 public:
  ShortTurns();
  ~ShortTurns();
  ShortTurns(const ShortTurns&) = delete;
  ShortTurns& operator=(const ShortTurns&) = delete;

  /// Returns how often the calling thread has offered its processor.
  static Index offers();

 private:
  std::optional<timer_t> timer_;
};

}  // namespace tesserec::serve
