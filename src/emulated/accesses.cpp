// SPDX-License-Identifier: Apache-2.0
// The functions that g++ calls before each memory access in code that is compiled with -fsanitize=kernel-address and
// calls in place of inline checks (src/CMakeLists.txt). While a kernel runs, they report accesses to other memory than
// the device's.
#include <cstddef>
#include <cstdint>
#include <string>

#include "blocks.hpp"
#include "sanitizers.hpp"
#include "watched.hpp"
#include <tesserec/emulated/fault.hpp>

extern "C" const char __executable_start, __etext, end;  // symbols of the linker

namespace tesserec::emulated {
namespace {

/// Reports the access, unless it lies in a live allocation or reads the program's image.
void check_allocation(std::uintptr_t at, std::size_t bytes, bool writes) {
  if (const Allocation* const allocation = allocation_at(at); allocation != nullptr) {
    if (!allocation->freed && at + bytes <= allocation->begin + allocation->bytes) return;
    const UncheckedScope unchecked;
    fault((writes ? "a kernel writes " : "a kernel reads ") + std::to_string(bytes) + " bytes at " +
          place_text(*allocation, at));
  }
  const auto address = [](const char& symbol) { return reinterpret_cast<std::uintptr_t>(&symbol); };
  if (!writes && at >= address(__executable_start) && at < address(end)) return;  // Kernels may read constants.
  const UncheckedScope unchecked;
  fault((writes ? "a kernel writes " : "a kernel reads ") + std::to_string(bytes) +
        " bytes of the host's memory that is not pinned");
}

inline void check(std::uintptr_t at, std::size_t bytes, bool writes) {
  const Watched& thread = watched;
  if (thread.in_kernel && !thread.stack.has(at, bytes) && !thread.scratch.has(at, bytes) && !thread.body.has(at, bytes))
    check_allocation(at, bytes, writes);
}

}  // namespace
}  // namespace tesserec::emulated

#define TESSEREC_ACCESS(bytes)                                                                          \
  void __asan_load##bytes##_noabort(std::uintptr_t at) { tesserec::emulated::check(at, bytes, false); } \
  void __asan_store##bytes##_noabort(std::uintptr_t at) { tesserec::emulated::check(at, bytes, true); }

extern "C" {
TESSEREC_ACCESS(1)
TESSEREC_ACCESS(2)
TESSEREC_ACCESS(4)
TESSEREC_ACCESS(8)
TESSEREC_ACCESS(16)
void __asan_loadN_noabort(std::uintptr_t at, std::size_t bytes) { tesserec::emulated::check(at, bytes, false); }
void __asan_storeN_noabort(std::uintptr_t at, std::size_t bytes) { tesserec::emulated::check(at, bytes, true); }
#ifndef TESSEREC_ADDRESS_SANITIZER  // AddressSanitizer has its own functions of these names.
void __asan_handle_no_return() {}
void __asan_before_dynamic_init(const char*) {}
void __asan_after_dynamic_init() {}
#endif
}
