// SPDX-License-Identifier: Apache-2.0
// Protection that shows host code reading device memory, in builds for CPUs, where a device's memory is the host's.
// During a ClosedMemory's lifetime, pages of allocations labeled "[device]" are inaccessible. They are accessible only
// while a kernel with such a label runs, or while numbers are copied.
#pragma once

#include <csignal>
#include <cstdint>
#include <map>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

#include <tesserec/core/device.hpp>

namespace closed_memory {

struct Pages {
  std::uintptr_t begin, end;
  std::string label;
};
inline std::map<const void*, Pages> closed;
inline int open_for = 0;  // number of running kernels and copies

inline bool of_device(const std::string& label) { return label.ends_with(" [device]"); }

inline void protect(const Pages& pages, int how) {
  if (mprotect(reinterpret_cast<void*>(pages.begin), pages.end - pages.begin, how) != 0) std::abort();
}
inline void protect_all(int how) {
  for (const auto& [at, pages] : closed) protect(pages, how);
}

inline void allocated(Kokkos_Profiling_SpaceHandle, const char* label, const void* at, std::uint64_t size) {
  if (!of_device(label)) return;
  const auto page = std::uintptr_t(sysconf(_SC_PAGESIZE)), address = reinterpret_cast<std::uintptr_t>(at);
  constexpr std::uintptr_t header = 256;  // at least the size of Kokkos's header in front of the data
  const Pages whole{(address + header + page - 1) / page * page, (address + size) / page * page, label};
  if (whole.begin >= whole.end) return;
  closed[at] = whole;
  if (open_for == 0) protect(whole, PROT_NONE);
}
inline void freed(Kokkos_Profiling_SpaceHandle, const char*, const void* at, std::uint64_t) {
  const auto found = closed.find(at);
  if (found == closed.end()) return;
  protect(found->second, PROT_READ | PROT_WRITE);
  closed.erase(found);
}
inline void begin() {
  if (open_for++ == 0) protect_all(PROT_READ | PROT_WRITE);
}
inline void end() {
  if (--open_for == 0) protect_all(PROT_NONE);
}
inline void begin_kernel(const char* label, std::uint32_t, std::uint64_t* id) {
  *id = of_device(label);
  if (*id != 0) begin();
}
inline void end_kernel(std::uint64_t id) {
  if (id != 0) end();
}
inline void begin_copy(Kokkos_Profiling_SpaceHandle, const char*, const void*, Kokkos_Profiling_SpaceHandle,
                       const char*, const void*, std::uint64_t) {
  begin();
}

inline void touched(int, siginfo_t* info, void*) {
  const auto address = reinterpret_cast<std::uintptr_t>(info->si_addr);
  for (const auto& [at, pages] : closed)
    if (pages.begin <= address && address < pages.end) {
      const std::string text = "host code touches " + pages.label + "\n";
      if (write(STDERR_FILENO, text.data(), text.size()) < 0) _exit(4);
    }
  _exit(3);
}

}  // namespace closed_memory

/// A lifetime in which host code must not touch device memory. It does nothing if device memory is separate anyway.
class ClosedMemory {
 public:
  ClosedMemory() { set(true); }
  ~ClosedMemory() {
    using namespace closed_memory;
    protect_all(PROT_READ | PROT_WRITE);
    closed.clear();
    set(false);
  }
  ClosedMemory(const ClosedMemory&) = delete;

 private:
  void set(bool on) {
    if (!tesserec::device_is_host) return;  // the device has memory of its own
    using namespace Kokkos::Tools::Experimental;
    using namespace closed_memory;
    set_allocate_data_callback(on ? allocated : nullptr);
    set_deallocate_data_callback(on ? freed : nullptr);
    set_begin_parallel_for_callback(on ? begin_kernel : nullptr);
    set_begin_parallel_reduce_callback(on ? begin_kernel : nullptr);
    set_begin_parallel_scan_callback(on ? begin_kernel : nullptr);
    set_end_parallel_for_callback(on ? end_kernel : nullptr);
    set_end_parallel_reduce_callback(on ? end_kernel : nullptr);
    set_end_parallel_scan_callback(on ? end_kernel : nullptr);
    set_begin_deep_copy_callback(on ? begin_copy : nullptr);
    set_end_deep_copy_callback(on ? closed_memory::end : nullptr);
    struct sigaction now {};
    now.sa_sigaction = touched;
    now.sa_flags = SA_SIGINFO;
    sigaction(SIGSEGV, on ? &now : &before_, on ? &before_ : nullptr);
  }
  struct sigaction before_ {};
};
