// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/phases.hpp>
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Rows by the host's vector instructions, shard by shard: threads share the work of all shards.
class SimdRows : public RowKernels {
 public:
  SimdRows(std::vector<Shard> shards, Phases& phases) : shards_(std::move(shards)), phases_(phases) {}

  void read(const Exec&, std::span<const AskedShard>, const BatchSplit&) override {}
  void lookup(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split, float* sums) override;
  void order_ids(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split, Range own) override;
  void update(const Exec& exec, const float* gradients, std::span<const double> rates, Index step) override;
  void gather(const Exec& exec, const float* gradients, Which which) override;
  RowSums sum_gradients(const Exec& exec, std::size_t shard, const float* gradients) override;
  void update_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums, double rate,
                   Index step) override;
  void gather_sums(const Exec& exec, std::size_t shard, std::span<const RowUse> uses, const float* sums) override;
  void move_gathered(const Exec& exec, std::size_t shard, double rate, Index step) override;
  std::vector<float> sum_columns(const Exec& exec, std::size_t shard, int round, std::span<const float> totals,
                                 double rate, Index step) override;
  void move_columns(const Exec& exec, std::size_t shard, std::span<const float> totals, double rate,
                    Index step) override;

 private:
  EmbeddingTable& table(std::size_t shard) const { return *shards_[shard].table; }
  /// Orders their ids, right before they are used: what was sorted is still in the cache.
  void prepare(const Exec& exec, std::span<const std::size_t> shards);

  std::vector<Shard> shards_;
  Phases& phases_;
  struct {
    std::span<const AskedShard> asked;
    const BatchSplit* split = nullptr;
    Range own_lanes;
  } due_;  // the batch whose gradients are
};

}  // namespace tesserec::embedding
