// SPDX-License-Identifier: Apache-2.0
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>

#include <sys/mman.h>
#include <sys/prctl.h>

#include <tesserec/core/huge_pages.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {
namespace {

std::atomic<std::size_t> advised{0}, refused{0};  // bytes advised, and bytes of them that the kernel refused
std::atomic<int> refusal{0};                      // errno of the last refusal

constexpr const char* machine_setting = "/sys/kernel/mm/transparent_hugepage/enabled";

}  // namespace

bool advise_huge_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto first = (reinterpret_cast<std::uintptr_t>(data) + page - 1) / page * page;
  const auto last = (reinterpret_cast<std::uintptr_t>(data) + bytes) / page * page;
  if (last < first + page) return true;  // The range holds no whole huge page.
  advised += last - first;
  if (madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE) == 0) return true;
  refusal = errno;
  refused += last - first;
  return false;
}

std::string huge_pages_refused() {
  if (advised == 0) return "";
  if (refused > 0)
    return concat("the kernel refused huge pages for ", bytes_text(double(refused)), " (", std::strerror(refusal), ")");
  if (prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) == 1)
    return "huge pages are switched off for this process (PR_SET_THP_DISABLE)";
  std::string setting;
  std::getline(std::ifstream(machine_setting), setting);
  if (setting.find("[never]") != std::string::npos) return std::string(machine_setting) + " is set to \"never\"";
  return "";
}

}  // namespace tesserec
