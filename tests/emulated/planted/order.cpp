// SPDX-License-Identifier: Apache-2.0
// Planted faults of order: commands that run too early.
#include <cstring>

#include "planted.hpp"

namespace planted {
namespace {

void fence_between_instances() {
  const Device one, other = Device::another("other");
  const Numbers a = filled(one, 1), b("planted::sums", n);
  if (right) one.fence();
  launch_numbers(other, "planted::add", n, Add{a.data(), b.data()});
  one.fence(), other.fence();
}

void event_wait() {
  const Device one, other = Device::another("other");
  const Numbers a = filled(one, 1), b("planted::sums", n);
  Event event;
  event.record(one);
  if (right) event.hold(other);
  launch_numbers(other, "planted::add", n, Add{a.data(), b.data()});
  one.fence(), other.fence();
}

void pinned_rewritten() {
  const Device device;
  const Numbers there("planted::numbers", n);
  const Pinned here("planted::pinned", n);
  std::memset(here.data(), 1, n * sizeof(int));
  copy(device, here.data(), there.data(), n * sizeof(int));
  if (right) device.fence();
  here.data()[5] = 2;
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
  const Pinned here("planted::pinned", n);
  copy(device, a.data(), here.data(), n * sizeof(int));
  if (right) device.fence();
  const volatile int read = here.data()[3];
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
