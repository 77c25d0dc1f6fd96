// SPDX-License-Identifier: Apache-2.0
#include <limits>

#include <malloc.h>

#include <tesserec/core/freed_memory.hpp>

namespace tesserec {

void keep_freed_memory() {
#if defined(__GLIBC__)
  constexpr int most = std::numeric_limits<int>::max(), growth = 64 << 20;  // bytes
  ::mallopt(M_MMAP_THRESHOLD, most);
  ::mallopt(M_TRIM_THRESHOLD, most);
  ::mallopt(M_TOP_PAD, growth);
#endif
}

}  // namespace tesserec
