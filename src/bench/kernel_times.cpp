// SPDX-License-Identifier: Apache-2.0
#include "kernel_times.hpp"

#include <cassert>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/timer.hpp>

namespace tesserec::bench {
namespace {

KernelTimes* listening = nullptr;  // Kokkos' callbacks take no object
std::string running;
double since = 0;

std::string short_name(std::string label) {
  constexpr std::string_view first = "tesserec::", last = " [device]";
  if (label.starts_with(first)) label.erase(0, first.size());
  if (label.ends_with(last)) label.resize(label.size() - last.size());
  return label;
}

}  // namespace

struct KernelTimes::Callbacks {
  static void begin(const char* label, std::uint32_t, std::uint64_t*) {
    Kokkos::fence();
    running = short_name(label);
    since = seconds_now();
  }
  static void end(std::uint64_t) {
    Kokkos::fence();
    Time& time = listening->times_[running];
    time.seconds += seconds_now() - since;
    ++time.launches;
  }
  static void set(bool on) {
    using namespace Kokkos::Tools::Experimental;
    set_begin_parallel_for_callback(on ? begin : nullptr);
    set_begin_parallel_reduce_callback(on ? begin : nullptr);
    set_begin_parallel_scan_callback(on ? begin : nullptr);
    set_end_parallel_for_callback(on ? end : nullptr);
    set_end_parallel_reduce_callback(on ? end : nullptr);
    set_end_parallel_scan_callback(on ? end : nullptr);
  }
};

KernelTimes::KernelTimes() {
  assert(listening == nullptr);
  listening = this;
  Callbacks::set(true);
}

KernelTimes::~KernelTimes() {
  Callbacks::set(false);
  listening = nullptr;
}

}  // namespace tesserec::bench
