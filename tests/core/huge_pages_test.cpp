// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <sys/prctl.h>

#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/huge_pages.hpp>

using namespace tesserec;

TEST_CASE("huge_pages_refused: gives the reason why huge pages were refused") {
  constexpr std::size_t bytes = std::size_t{8} << 20;
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  const bool agreed = advise_huge_pages(memory, bytes);
  if (agreed && prctl(PR_SET_THP_DISABLE, 1, 0, 0, 0) == 0) {
    CHECK(mentions(huge_pages_refused(), "switched off for this process"));
    REQUIRE(prctl(PR_SET_THP_DISABLE, 0, 0, 0, 0) == 0);
  }
  REQUIRE(munmap(memory, bytes) == 0);
  CHECK_FALSE(advise_huge_pages(memory, bytes));  // the memory is unmapped
  CHECK(mentions(huge_pages_refused(), "the kernel refused huge pages for "));
}
