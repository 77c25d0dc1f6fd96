// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::store {

/// Replaces digests[i] by 32 bits of XXH3_64 of row i, seeded by the old digests[i], so that several matrices have one
/// digest a row. `rows`: [count, columns] row-major, in the host's memory.
void digest_rows(const Exec& exec, const float* rows, Index count, Index columns, std::uint32_t* digests);

}  // namespace tesserec::store
