// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tesserec::emulated {

/// Memory that the running kernel's thread may access without a look-up. This folder's own code is not checked;
/// UncheckedScope switches the checks off in its templates, which other folders may compile.
struct Watched {
  bool in_kernel = false;
  struct AddressRange {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool has(std::uintptr_t at, std::size_t n) const { return at - begin < bytes && at - begin + n <= bytes; }
  };
  AddressRange stack, scratch, body;  ///< memory of the thread, of the block, of the launch
};
inline thread_local Watched watched;
/// Scope without checks. Its end restores the previous state.
class UncheckedScope {
 public:
  UncheckedScope() { watched.in_kernel = false; }
  ~UncheckedScope() { watched.in_kernel = was_; }
  UncheckedScope(const UncheckedScope&) = delete;

 private:
  bool was_ = watched.in_kernel;
};

}  // namespace tesserec::emulated
