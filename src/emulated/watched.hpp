// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

namespace tesserec::emulated {

/// Memory that this thread's kernel may touch unseen. Off in this folder, whose templates other folders may compile.
struct Watched {
  bool in_kernel = false;
  struct Part {
    std::uintptr_t begin = 0;
    std::size_t bytes = 0;
    bool has(std::uintptr_t at, std::size_t n) const { return at - begin < bytes && at - begin + n <= bytes; }
  };
  Part stack, scratch, body;  ///< of the thread, of the block, of the launch
};
inline thread_local Watched watched;
/// Off, and at the end what it was.
class Aside {
 public:
  Aside() { watched.in_kernel = false; }
  ~Aside() { watched.in_kernel = was_; }
  Aside(const Aside&) = delete;

 private:
  bool was_ = watched.in_kernel;
};

}  // namespace tesserec::emulated
