// SPDX-License-Identifier: Apache-2.0
/// Measurement of a time: all ranks begin together, the slowest rank counts, and the median of the repeats is the
/// result.
#pragma once

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>
#include <vector>

#include <tesserec/bench/settings.hpp>
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::bench {

inline double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t n = values.size();
  if (n == 0) return 0;
  return n % 2 == 1 ? values[n / 2] : 0.5 * (values[n / 2 - 1] + values[n / 2]);
}

struct Context {
  Exec exec;
  const comm::Communicator& comm;
  Settings settings;

  /// Returns the seconds of the clock that settings.clock names.
  double now() const {
    if (settings.clock == Clock::wall) return seconds_now();
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return double(time.tv_sec) + 1e-9 * time.tv_nsec;
  }

  /// Returns the largest of all ranks' seconds, at least a nanosecond. Collective.
  double slowest(double seconds) const {
    return 1e-9 * double(comm.max(std::max<Index>(1, std::llround(seconds * 1e9))));
  }

  /// Returns the number of calls that fill one repeat. It is the same on all ranks, so that `body` may be collective.
  /// Collective.
  template <class Body>
  Index calls(const Body& body) const {
    const double first = now();
    body();
    return Index(std::clamp(std::ceil(settings.seconds / slowest(now() - first)), 1.0, 1e7));
  }

  /// Returns the seconds of one call, the mean of `calls` calls on the slowest rank. Collective.
  template <class Body>
  double once(Index calls, const Body& body) const {
    comm.barrier();
    const double start = now();
    for (Index i = 0; i < calls; ++i) body();
    return slowest(now() - start) / double(calls);
  }

  /// Returns the seconds of one call, the median of the repeats. Collective.
  template <class Body>
  double seconds(const Body& body) const {
    const Index n = calls(body);
    std::vector<double> repeats;
    for (int r = 0; r < settings.repeats; ++r) repeats.push_back(once(n, body));
    return median(std::move(repeats));
  }

  /// Returns the seconds of one call of `body` and of `other`, measured in turns, so that a machine's slow phases
  /// affect both. Collective.
  template <class Body, class Other>
  std::pair<double, double> seconds(const Body& body, const Other& other) const {
    const Index body_calls = calls(body), other_calls = calls(other);
    std::vector<double> body_seconds, other_seconds;
    for (int r = 0; r < settings.repeats; ++r) {
      body_seconds.push_back(once(body_calls, body));
      other_seconds.push_back(once(other_calls, other));
    }
    return {median(std::move(body_seconds)), median(std::move(other_seconds))};
  }
};

/// Keeps the compiler from removing the computation of `value`, without a store that another thread could see.
template <class T>
inline void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

}  // namespace tesserec::bench
