// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_pool.hpp"
#include "row_updates.hpp"
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Shards of one dim, optimizer type, kernel and greatest gradient: their kernels are launched together.
class RowBucket {
 public:
  explicit RowBucket(std::vector<EmbeddingTable*> tables);
  static bool fit_together(const EmbeddingTable& a, const EmbeddingTable& b);

  DeviceBags& bags() { return bags_; }
  /// Looks up the bags of a batch.
  void lookup(const Device& exec, float* sums) { pool_.lookup(exec, bags_, sums); }
  /// Sorts the uses of a batch, from its bags or from sums of each shard.
  void order(const Device& exec, int lane_count, Range lanes);
  void order_sums(const Device& exec, std::span<const std::span<const RowUse>> sums, int lane_count);

  /// Moves the rows of the ordered batch; `rates` [shards of the bucket].
  void update(const Device& exec, const float* gradients, std::span<const double> rates, Index step);
  /// Returns the gradients by row of the ordered batch, shard by shard. The host waits.
  std::vector<RowSums> sums(const Device& exec, const float* gradients);

  /// Moves rows of shard i by list `at` of `moves`, or returns the sums of its round.
  std::vector<float> move(const Device& exec, std::size_t i, const RowMoves& moves, std::size_t at);

 private:
  MovingShards moving(const Device& exec, std::span<const double> rates, Index step);
  MovingShards moving_one(const Device& exec, std::size_t i, double rate, Index step);
  /// Moves listed rows of shard i that share no numbers with other shards.
  void move_whole(const Device& exec, std::size_t i, const MovingShards& of, const RowList& rows,
                  const float* gradients);

  std::vector<EmbeddingTable*> tables_;
  Index dim_;
  float most_;  // magnitude of a gradient's numbers
  bool dense_;
  DeviceBags bags_;
  DevicePool pool_;
  RowRuns runs_;
  RunSums run_sums_;
  DeviceVector<float> gradients_, column_sums_;
  DeviceVector<std::int32_t> leaves_;
  Upload<DeviceStep> steps_;
  Upload<std::uint64_t> sent_slots_;
  Upload<float> sent_gradients_, totals_;
};

}  // namespace tesserec::embedding
