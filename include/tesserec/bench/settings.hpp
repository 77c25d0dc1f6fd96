// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/index.hpp>

namespace tesserec::bench {

/// wall: elapsed time, on a machine of its own. processor: CPU time, for a shared machine; waiting counts if it spins.
enum class Clock { wall, processor };

/// [bench]
struct Settings {
  double seconds = 0.05;          ///< a repeat of a measurement lasts at least this long, s
  int repeats = 5;                ///< of each measurement; the median counts
  Index memory = Index{1} << 30;  ///< bytes that a rank uses for streams, random rows and its own tables
  Clock clock = Clock::wall;
  int steps = 8;  ///< whole steps of one repeat
};

}  // namespace tesserec::bench
