// SPDX-License-Identifier: Apache-2.0
/// How a time is taken: all ranks begin together, the slowest counts, the median of the repeats stands.
#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <vector>

#include <tesserec/bench/settings.hpp>
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::bench {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  return n == 0 ? 0 : n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

struct Context {
  Exec exec;
  const comm::Communicator& comm;
  Settings settings;

  /// Seconds of the clock that was asked for.
  double now() const {
    if (settings.clock == Clock::wall) return seconds_now();
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
  }

  /// The largest of all ranks' seconds, at least a nanosecond.
  double slowest(double seconds) const {
    return 1e-9 * static_cast<double>(comm.max(std::max<Index>(1, std::llround(seconds * 1e9))));
  }

  /// Seconds of one call. All ranks call as often, so that `body` may be collective.
  template <class Body>
  double seconds(const Body& body) const {
    const double first = now();
    body();
    const double once = slowest(now() - first);
    const auto calls = static_cast<Index>(std::clamp(std::ceil(settings.seconds / once), 1.0, 1e7));
    std::vector<double> each;
    for (int r = 0; r < settings.repeats; ++r) {
      comm.barrier();
      const double start = now();
      for (Index i = 0; i < calls; ++i) body();
      each.push_back(slowest(now() - start) / static_cast<double>(calls));
    }
    return median(each);
  }
};

/// Keeps a result alive without a store that another thread could see.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace tesserec::bench
