// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_pool.hpp"
#include "row_updates.hpp"
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Shards that share kernel launches: equal in dim, format, optimizer type, compute kernel, clipping, and in whether
/// rows are shared.
class RowBucket {
 public:
  explicit RowBucket(std::vector<EmbeddingTable*> tables);
  static bool fit_together(const EmbeddingTable& a, const EmbeddingTable& b);

  /// Bags of a batch, and its uses of rows.
  struct Lists {
    explicit Lists(const RowBucket& bucket);
    DeviceBags bags;
    RowRuns runs;
  };
  void lookup(const Device& exec, const DeviceBags& bags, float* sums) { pool_.lookup(exec, bags, sums); }
  /// Updates the rows of a batch. `rates` [shards of the bucket].
  void update(const Device& exec, const RowRuns& of_batch, const float* gradients, std::span<const double> rates,
              Index step);
  /// Returns the gradients of a batch by row, for each shard. Blocks.
  std::vector<RowSums> sums(const Device& exec, const RowRuns& of_batch, const float* gradients);

  /// Updates rows of shard i by entry `at` of `moves`, or returns the sums of its round.
  std::vector<float> move(const Device& exec, std::size_t i, const RowMoves& moves, std::size_t at);

 private:
  UpdatedShards updated_shards(const Device& exec, std::span<const double> rates, Index step);
  UpdatedShards updated_shard(const Device& exec, std::size_t i, double rate, Index step);
  /// Updates listed rows of shard i, which share no values with other shards.
  void move_whole(const Device& exec, std::size_t i, const UpdatedShards& updated, const RowList& rows,
                  const float* gradients);

  std::vector<EmbeddingTable*> tables_;
  Index dim_;
  float bound_;  // magnitude to which gradients are clipped; infinite = no clipping
  bool dense_;
  NumberType format_;
  DevicePool pool_;
  RunSums run_sums_;
  DeviceVector<float> gradients_, column_sums_;
  DeviceVector<std::int32_t> leaves_;
  Upload<DeviceShard> sent_shards_;
  const DeviceShard* shards_;
  Upload<DeviceStep> steps_;
  Upload<std::uint64_t> sent_slots_;
  Upload<float> sent_gradients_, totals_;
};

}  // namespace tesserec::embedding
