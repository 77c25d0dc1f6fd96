// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::bench {

/// Clock of the measurements. wall: elapsed time, on a machine of its own. processor: CPU time, on a shared machine,
/// where waiting counts only if it spins.
enum class Clock { wall, processor };

/// Block [bench].
struct Settings {
  double seconds = 0.05;          ///< shortest time of a repeat, seconds
  int repeats = 5;                ///< repeats of each measurement, of which the median counts
  Index memory = Index{1} << 30;  ///< bytes that a rank uses for streams, random rows and its own tables
  Clock clock = Clock::wall;
  int steps = 8;  ///< whole steps of one repeat
};

}  // namespace tesserec::bench
