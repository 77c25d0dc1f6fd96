// SPDX-License-Identifier: Apache-2.0
// A Kokkos tool that prints a line when Kokkos starts.
#include <cstdint>
#include <cstdio>

extern "C" void kokkosp_init_library(int, std::uint64_t, std::uint32_t, void*) {
  std::fputs("Kokkos has started\n", stderr);
}
