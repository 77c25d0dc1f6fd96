// SPDX-License-Identifier: Apache-2.0
// Planted faults of memory: accesses to memory that a kernel does not have, or that does not exist.
#include <cstdio>
#include <cstring>
#include <memory>

#include "planted.hpp"

namespace planted {
namespace {

void host_reads_device() {
  const Device device;
  const Numbers a = filled(device, 1);
  device.fence();
  if (right) fetched(device, a.data());
  if (!right) std::printf("%d\n", a.data()[3]);
}

void kernel_reads_host() {
  const Device device;
  const Numbers to("planted::sums", n);
  const auto host = std::make_unique<int[]>(n);
  const Pinned pinned("planted::pinned", n);
  std::memset(pinned.data(), 0, n * sizeof(int));
  launch_numbers(device, "planted::add", n, Add{right ? pinned.data() : host.get(), to.data()});
  device.fence();
}

void kernel_writes_host() {
  const Device device;
  const auto host = std::make_unique<int[]>(n);
  const Pinned pinned("planted::pinned", n);
  launch_numbers(device, "planted::fill", n, Fill{right ? pinned.data() : host.get(), 1});
  device.fence();
}

void one_item_too_many() {
  const Device device;
  const Numbers a("planted::numbers", n);
  launch_numbers(device, "planted::fill", right ? n : n + 1, Fill{a.data(), 1});
  device.fence();
}

void use_after_free() {
  const Device device;
  auto a = std::make_unique<Numbers>("planted::numbers", n);
  launch_numbers(device, "planted::fill", n, Fill{a->data(), 1});
  if (right) device.fence();
  a.reset();
  device.fence();
}

void freed_in_use() {
  const Device device;
  auto a = std::make_unique<Numbers>("planted::numbers", n);
  const std::vector<int> ones(n, 1);
  copy(device, ones.data(), a->data(), n * sizeof(int));
  if (right) device.fence();
  a.reset();
  device.fence();
}

void copy_overlaps() {
  const Device device;
  const Numbers a = filled(device, 1);
  copy(device, a.data(), a.data() + (right ? n / 2 : 1), n / 2 * sizeof(int));
  device.fence();
}
void copy_too_long() {
  const Device device;
  const Numbers a("planted::numbers", n);
  const std::vector<int> ones(n + 1, 1);
  copy(device, ones.data(), a.data(), (right ? n : n + 1) * sizeof(int));
  device.fence();
}

}  // namespace

std::vector<Fault> of_memory() {
  return {
      {"host_reads_device", "plain", "the host touches planted::numbers \\+ 12 bytes", host_reads_device},
      {"kernel_reads_host", "plain", "reads 4 bytes of the host's memory that is not pinned .kernel planted::add",
       kernel_reads_host},
      {"kernel_writes_host", "plain", "writes 4 bytes of the host's memory that is not pinned .kernel planted::fill",
       kernel_writes_host},
      {"one_item_too_many", "plain", "planted::numbers \\+ 256 bytes, beyond its end at 256 .kernel planted::fill",
       one_item_too_many},
      {"one_item_too_many", "addresses", "use-after-poison", one_item_too_many},
      {"use_after_free", "plain", "planted::numbers \\+ [0-9]+ bytes, which is freed .kernel planted::fill",
       use_after_free},
      {"use_after_free", "addresses", "use-after-poison", use_after_free},
      {"freed_in_use", "plain", "free of planted::numbers while the copy", freed_in_use},
      {"copy_overlaps", "plain", "from planted::numbers \\+ 0 to planted::numbers \\+ 4 overlaps", copy_overlaps},
      {"copy_too_long", "plain", "a copy of 260 bytes at planted::numbers \\+ 260 bytes", copy_too_long},
  };
}

}  // namespace planted
