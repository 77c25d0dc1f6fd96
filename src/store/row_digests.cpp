// SPDX-License-Identifier: Apache-2.0
#include <tesserec/store/row_digests.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <tesserec/core/placed.hpp>

namespace tesserec::store {

void digest_rows(const Exec& exec, const float* rows, Index count, Index columns, std::uint32_t* digests) {
  const std::size_t bytes = std::size_t(columns) * sizeof(float);
  Kokkos::parallel_for("tesserec::store::digest_rows",
                       Kokkos::RangePolicy<Exec, Kokkos::IndexType<Index>>(exec, 0, count), [=](Index row) {
                         digests[row] = std::uint32_t(XXH3_64bits_withSeed(rows + row * columns, bytes, digests[row]));
                       });
  wait(exec);
}

}  // namespace tesserec::store
