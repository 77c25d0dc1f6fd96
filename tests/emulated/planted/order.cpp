// SPDX-License-Identifier: Apache-2.0
// Planted faults of order: commands that run too early.
#include <cstring>

#include "planted.hpp"

namespace planted {
namespace {

void fence_between_instances() {
  const Device first, second = Device::another("other");
  const Numbers a = filled(first, 1), b("planted::sums", n);
  if (right) first.fence();
  launch_numbers(second, "planted::add", n, Add{a.data(), b.data()});
  first.fence(), second.fence();
}

void event_wait() {
  const Device first, second = Device::another("other");
  const Numbers a = filled(first, 1), b("planted::sums", n);
  Event event;
  event.record(first);
  if (right) event.hold(second);
  launch_numbers(second, "planted::add", n, Add{a.data(), b.data()});
  first.fence(), second.fence();
}

void pinned_rewritten() {
  const Device device;
  const Numbers numbers("planted::numbers", n);
  const Pinned pinned("planted::pinned", n);
  std::memset(pinned.data(), 1, n * sizeof(int));
  copy(device, pinned.data(), numbers.data(), n * sizeof(int));
  if (right) device.fence();
  pinned.data()[5] = 2;
  device.fence();
}

void recorded_fence() {
  const Device device;
  const Numbers a("planted::numbers", n);
  const Graph graph(device, [&] {
    launch_numbers(device, "planted::fill", n, Fill{a.data(), 1});
    if (!right) device.fence();
  });
  graph.launch(device);
  device.fence();
}
void recorded_event() {
  const Device device;
  Event event;
  const Graph graph(device, [&] {
    if (!right) event.record(device);
  });
}

void host_reads_too_early() {
  const Device device;
  const Numbers a = filled(device, 1);
  const Pinned pinned("planted::pinned", n);
  copy(device, a.data(), pinned.data(), n * sizeof(int));
  if (right) device.fence();
  const volatile int read = pinned.data()[3];
  (void)read;
  device.fence();
}

}  // namespace

std::vector<Fault> of_order() {
  return {
      {"fence_between_instances", "threads", "data race.*planted::add", fence_between_instances},
      {"event_wait", "threads", "data race.*planted::add", event_wait},
      {"pinned_rewritten", "plain", "the host wrote to the source of the copy from planted::pinned", pinned_rewritten},
      {"recorded_fence", "plain", "a fence on the instance .default. cannot be recorded into a graph", recorded_fence},
      {"recorded_event", "plain", "an event on the instance .default. cannot be recorded into a graph", recorded_event},
      {"host_reads_too_early", "threads", "data race", host_reads_too_early},
  };
}

}  // namespace planted
