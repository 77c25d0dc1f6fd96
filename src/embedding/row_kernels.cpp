// SPDX-License-Identifier: Apache-2.0
#include <cassert>

#include "portable_rows.hpp"
#include "simd_rows.hpp"
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

Range RowKernels::Shard::lanes(const RowBatch& batch) const {
  if (askers == Askers::all_ranks) return whole_tree;
  return askers == Askers::group ? batch.split->lanes() : batch.own_lanes;
}

std::unique_ptr<RowKernels> make_row_kernels(Kernels kernels, std::vector<RowKernels::Shard> shards, Phases& phases) {
  for ([[maybe_unused]] const RowKernels::Shard& shard : shards)
    assert(shard.table->store().weight_matrix().place() == place_of(kernels));
  if (place_of(kernels) == Place::host) return std::make_unique<SimdRows>(std::move(shards), phases);
  return std::make_unique<PortableRows>(std::move(shards));
}

}  // namespace tesserec::embedding
