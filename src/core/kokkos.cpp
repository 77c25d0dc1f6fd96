// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>

#include <tesserec/core/kokkos.hpp>

namespace tesserec {

bool advise_huge_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto first = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (last < first + page) return true;  // too small to matter
  return madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE) == 0;
}

std::string backend_description(const Exec& exec) {
  const int threads = concurrency(exec);
  return std::string(Exec::name()) + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

}  // namespace tesserec
