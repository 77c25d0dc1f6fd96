// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/kokkos.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {

std::string kokkos_version() {
  return concat(KOKKOS_VERSION / 10000, ".", KOKKOS_VERSION / 100 % 100, ".", KOKKOS_VERSION % 100);
}

std::string backend_description(const Exec& exec) {
  const int threads = concurrency(exec);
  return std::string(Exec::name()) + ", " + std::to_string(threads) + (threads == 1 ? " thread" : " threads");
}

}  // namespace tesserec
