// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>

namespace tesserec::store {

inline constexpr std::size_t page_bytes = 4096;  // alignment of direct I/O in file and memory

/// Memory that begins at a page.
using PageBuffer = std::unique_ptr<void, decltype(&std::free)>;

/// Allocates memory for direct I/O, whose beginning is a multiple of `alignment`. Returns null if there is none.
inline PageBuffer page_buffer(std::size_t bytes, std::size_t alignment = page_bytes) {
  return {std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment), &std::free};
}

}  // namespace tesserec::store
