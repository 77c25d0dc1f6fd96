// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row_updates.hpp"

namespace tesserec::embedding {

/// Shards of one dim, optimizer type, kernel and greatest gradient: their kernels are launched together.
class RowBucket {
 public:
  explicit RowBucket(std::vector<EmbeddingTable*> tables);
  static bool fit_together(const EmbeddingTable& a, const EmbeddingTable& b);

  /// The bags of a batch.
  DeviceBags& bags() { return bags_; }
  /// Its uses, from the bags or from sums of each shard.
  void order(const Device& exec, int lane_count, Range lanes);
  void order_sums(const Device& exec, std::span<const std::span<const RowUse>> sums, int lane_count);

  /// Rows of the ordered batch move, which are of `shards` alone; `rates` [shards of the bucket].
  void update(const Device& exec, const float* gradients, Range shards, std::span<const double> rates, Index step);
  /// The runs of the ordered batch with their sums, of each shard; the host waits.
  std::vector<RowSums> sums(const Device& exec, const float* gradients);

  /// Rows of shard i that were gathered.
  void move_gathered(const Device& exec, std::size_t i, double rate, Index step);
  std::vector<float> sum_columns(const Device& exec, std::size_t i, int round, std::span<const float> totals,
                                 double rate, Index step);
  void move_columns(const Device& exec, std::size_t i, std::span<const float> totals, double rate, Index step);

 private:
  MovingShards moving(const Device& exec, std::span<const double> rates, Index step);
  MovingShards moving_one(const Device& exec, std::size_t i, double rate, Index step);
  /// Sends a shard's gathered rows; their gradients go to `gradients`.
  RowList send_gathered(const Device& exec, std::size_t i, const float*& gradients);

  std::vector<EmbeddingTable*> tables_;
  Index dim_;
  float most_;  // magnitude of a gradient's numbers
  bool dense_;
  DeviceBags bags_;
  RowRuns runs_;
  RunSums run_sums_;
  DeviceVector<float> gradients_, column_sums_;
  DeviceVector<std::int32_t> leaves_;
  Upload<DeviceStep> steps_;
  Upload<std::uint64_t> gathered_rows_;
  Upload<float> gathered_gradients_, totals_;
};

}  // namespace tesserec::embedding
