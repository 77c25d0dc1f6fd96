// SPDX-License-Identifier: Apache-2.0
// Owners of the pages of device and pinned memory, and the time during which a page may be accessed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tesserec/emulated/memory.hpp>

namespace tesserec::emulated {

/// An allocation of device or pinned memory.
struct Allocation {
  Kind kind;
  std::string label;
  std::uintptr_t begin;
  std::size_t bytes;
  bool freed = false;
  bool open = false;  // true while device memory may be accessed
  Allocation* next_open = nullptr;
};

/// Returns the allocation whose pages, or the guard page after them, contain the address; null if there is none.
Allocation* allocation_at(std::uintptr_t address);
/// Returns "LABEL + 24 bytes", and says if the memory is freed or the address is beyond the allocation's end.
std::string place_text(const Allocation& allocation, std::uintptr_t address);

/// Scope in which the device runs. Device memory opens at its first access and closes when the outermost scope ends.
class OnDevice {
 public:
  OnDevice();
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  static bool now();
};

/// Reports a queued copy that has not run yet and reads or writes the allocation.
void fault_where_pending(const Allocation& allocation);

}  // namespace tesserec::emulated
