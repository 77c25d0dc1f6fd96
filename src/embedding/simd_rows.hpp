// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "simd_shard.hpp"
#include <tesserec/core/phases.hpp>

namespace tesserec::embedding {

/// Row kernels by the host's vector instructions, shard by shard. All threads share the work.
class SimdRows : public RowKernels {
 public:
  SimdRows(const std::vector<Shard>& shards, Phases& phases);

  void read(const Exec&, const RowBatch&) override {}
  void lookup(const Exec& exec, const RowBatch& batch, float* sums) override;
  std::vector<RowSums> sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                           std::span<const std::size_t> shards) override;
  std::vector<std::vector<float>> move(const Exec& exec, const RowMoves& moves) override;

 private:
  /// Sorts the ids of some shards just before they are used, so that the result is still in the cache.
  void order(const Exec& exec, const RowBatch& batch, std::span<const std::size_t> shards);
  /// Updates the rows of a batch.
  void move_batch(const Exec& exec, const RowMoves& moves, std::span<const ShardStep> steps);

  std::vector<Shard> shards_;
  std::vector<SimdShard> rows_;  // [shard]
  Phases& phases_;
};

}  // namespace tesserec::embedding
