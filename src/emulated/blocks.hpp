// SPDX-License-Identifier: Apache-2.0
// The owner of each page of device and pinned memory, and whether it may be touched now.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include <tesserec/emulated/memory.hpp>

namespace tesserec::emulated {

/// An allocation.
struct Allocation {
  Kind kind;
  std::string label;
  std::uintptr_t begin;
  std::size_t bytes;
  bool freed = false;
  bool open = false;  // of the device: whether it may be touched now
  Allocation* next_open = nullptr;
};

/// The allocation whose pages, or whose pages behind it that nobody may touch, hold the address; null for none.
Allocation* allocation_at(std::uintptr_t address);
/// "LABEL + 24 bytes", and what is wrong with it: freed, or beyond the end of so many bytes.
std::string place_text(const Allocation& allocation, std::uintptr_t address);

/// Mark that the device runs: device memory opens at its first touch, and closes when the outermost mark ends.
class OnDevice {
 public:
  OnDevice();
  ~OnDevice();
  OnDevice(const OnDevice&) = delete;
  static bool now();
};

/// Reports a queued copy that has not run and reads or writes the allocation.
void fault_where_pending(const Allocation& allocation);

}  // namespace tesserec::emulated
