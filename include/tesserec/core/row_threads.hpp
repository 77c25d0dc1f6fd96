// SPDX-License-Identifier: Apache-2.0
/// Threads that share a row of values: one on a host, eight adjacent ones on a device. The bits are the same.
#pragma once

#include <tesserec/core/device.hpp>
#include <tesserec/core/eight_chains.hpp>

namespace tesserec {

/// One thread's view of a row. Of eight threads, thread i % 8 owns value i; the others may read it only after sync().
class RowThreads {
 public:
  static constexpr int on_device = device_is_host ? 1 : int(EightChains<float>::count);

  /// Makes a thread that has the row alone.
  RowThreads() = default;
  /// Makes thread `thread` of `on_device`.
  TESSEREC_FUNCTION explicit RowThreads(int thread) : thread_(thread), alone_(device_is_host) {}

  /// Returns whether this thread writes the row's results.
  TESSEREC_FUNCTION bool first() const { return thread_ == 0; }
  /// Synchronizes all threads of the row, which must all call it. Later reads of each thread see the earlier writes of
  /// all.
  TESSEREC_FUNCTION void sync() const {
    if (!is_alone()) LaneGroup{thread_, on_device}.sync();
  }
  /// Calls body(i) for this thread's i in [0, n).
  template <class Body>
  TESSEREC_FUNCTION void each(Index n, const Body& body) const {
    if (is_alone())
      for (Index i = 0; i < n; ++i) body(i);
    else
      for (Index i = thread_; i < n; i += on_device) body(i);
  }
  /// Sets sum = step(i, sum) for i in [0, n), where sum is chain i % 8 of `chains`. Several calls continue the chains.
  template <class T, class Step>
  TESSEREC_FUNCTION void walk(Index n, EightChains<T>& chains, const Step& step) const {
    if (is_alone())
      chains.walk(n, step);
    else
      each(n, [&](Index i) { chains.of[0] = step(i, chains.of[0]); });
  }
  /// Returns the sum of the eight chains, on every thread. All threads of the row must call it.
  template <class T>
  TESSEREC_FUNCTION T total(const EightChains<T>& chains) const {
    if (is_alone()) return chains.total();
    T sum = chains.of[0];
    for (int other = 1; other < on_device; other *= 2) sum += LaneGroup{thread_, on_device}.of_lane(sum, other);
    return sum;
  }
  /// Returns the sum by eight chains that walk() and total() give for [0, n). All threads of the row must call it.
  template <class T, class Step>
  TESSEREC_FUNCTION T chains(Index n, const Step& step) const {
    EightChains<T> sums;
    walk(n, sums, step);
    return total(sums);
  }
  /// Computes n sums, each in one chain: sum = start(i), then sum = step(k, i, sum) for k in [0, depth) in order, then
  /// finish(i, sum). On a host the sums of adjacent i share vector registers.
  template <class Start, class Step, class Finish>
  TESSEREC_FUNCTION void sums(Index n, Index depth, const Start& start, const Step& step, const Finish& finish) const {
    if (!is_alone())
      return each(n, [&](Index i) {
        float sum = start(i);
        for (Index k = 0; k < depth; ++k) sum = step(k, i, sum);
        finish(i, sum);
      });
    Index first = 0;
    for (; n - first >= 64; first += 64) sums_in_registers<64>(first, 64, depth, start, step, finish);
    for (; n - first >= 16; first += 16) sums_in_registers<16>(first, 16, depth, start, step, finish);
    if (first < n) sums_in_registers<16>(first, n - first, depth, start, step, finish);
  }

 private:
  /// Computes sums [first, first + count), which fit vector registers.
  template <Index capacity, class Start, class Step, class Finish>
  TESSEREC_FUNCTION static void sums_in_registers(Index first, Index count, Index depth, const Start& start,
                                                  const Step& step, const Finish& finish) {
    float sum[capacity];
    for (Index i = 0; i < count; ++i) sum[i] = start(first + i);
    for (Index k = 0; k < depth; ++k)
      for (Index i = 0; i < count; ++i) sum[i] = step(k, first + i, sum[i]);
    for (Index i = 0; i < count; ++i) finish(first + i, sum[i]);
  }
  TESSEREC_FUNCTION bool is_alone() const {
#if defined(TESSEREC_EMULATED)
    return alone_;
#else
    if constexpr (device_is_host) return true;
    KOKKOS_IF_ON_DEVICE((return false;))
    KOKKOS_IF_ON_HOST((return true;))
#endif
  }

  int thread_ = 0;
  [[maybe_unused]] bool alone_ = true;
};

}  // namespace tesserec
