// SPDX-License-Identifier: Apache-2.0
/// Kernels that take a row at a time: on the host one thread has it, on a device eight.
#pragma once

#include "eight_chains.hpp"
#include <tesserec/core/device_loops.hpp>

namespace tesserec::dense {

/// Eight threads side by side, as OneThread. Thread i % 8 owns number i; others cannot read it in the same kernel.
class EightThreads {
 public:
  TESSEREC_FUNCTION explicit EightThreads(int thread) : thread_(thread) {}
  static constexpr int count = 8;

  TESSEREC_FUNCTION bool first() const { return thread_ == 0; }
  template <class Body>
  TESSEREC_FUNCTION void each(Index n, const Body& body) const {
    for (Index i = thread_; i < n; i += count) body(i);
  }
  template <class T, class Step>
  TESSEREC_FUNCTION void walk(Index n, EightChains<T>& chains, const Step& step) const {
    each(n, [&](Index i) { chains.of[0] = step(i, chains.of[0]); });
  }
  template <class T>
  TESSEREC_FUNCTION T total(const EightChains<T>& chains) const {
    T sum = chains.of[0];
    for (int other = 1; other < count; other *= 2) sum += LaneGroup{thread_, count}.of_lane(sum, other);
    return sum;
  }
  template <class T, class Step>
  TESSEREC_FUNCTION T chains(Index n, const Step& step) const {
    EightChains<T> sums;
    walk(n, sums, step);
    return total(sums);
  }

 private:
  int thread_;
};
using RowThreads = std::conditional_t<device_is_host, OneThread, EightThreads>;

template <class Body>
TESSEREC_KERNEL static void run_row(Index row, const Body& body) {
  body(row, OneThread());
}
/// Functor that Kokkos launches.
template <class Body>
struct OverRows {
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    if constexpr (device_is_host)
      run_row(i, body);
    else
      body(i / EightThreads::count, EightThreads(int(i % EightThreads::count)));
  }
};
/// body(row, its RowThreads) for rows in [0, rows).
template <class Body>
void over_rows(const Device& device, const char* label, Index rows, const Body& body) {
  launch_threads(device, label, rows * RowThreads::count, OverRows<Body>{body});
}

}  // namespace tesserec::dense
