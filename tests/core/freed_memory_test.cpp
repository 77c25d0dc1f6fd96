// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <cstdlib>

#include <sys/resource.h>

#include "catch.hpp"
#include <tesserec/core/freed_memory.hpp>

using namespace tesserec;

namespace {

/// Allocates memory, writes to each page, and frees it. Returns how many pages the kernel gave.
long pages_given(std::size_t bytes) {
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  auto* const memory = static_cast<volatile char*>(std::malloc(bytes));
  REQUIRE(memory != nullptr);
  for (std::size_t at = 0; at < bytes; at += 4096) memory[at] = 1;
  std::free(const_cast<char*>(memory));
  getrusage(RUSAGE_SELF, &after);
  return after.ru_minflt - before.ru_minflt;
}

}  // namespace

TEST_CASE("keep_freed_memory: memory that was freed is allocated again without the kernel") {
#if defined(__GLIBC__) && !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)
  constexpr std::size_t bytes = std::size_t{48} << 20;  // more than the library keeps by itself
  keep_freed_memory();
  pages_given(bytes);
  CHECK(pages_given(bytes) < 100);
#endif
}
