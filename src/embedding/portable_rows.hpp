// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "row_bucket.hpp"
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Rows by kernels that are one text for every Kokkos space: shards of one dim and optimizer in one launch.
class PortableRows : public RowKernels {
 public:
  explicit PortableRows(std::vector<Shard> shards);

  void read(const Exec& exec, std::span<const AskedShard> asked, const BatchSplit& split) override;
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
  /// A bucket, and what all its shards have in common.
  struct Group {
    std::vector<std::size_t> shards;  // in the order of the bucket
    bool fetched, replicated, shared;
    std::unique_ptr<RowBucket> rows;
    std::vector<RowSums> sums;  // of a replicated one and the batch at hand, once one is asked for
  };
  struct Place {
    std::size_t group = 0, at = 0;
  };
  RowBucket& bucket(std::size_t shard) const { return *groups_[places_[shard].group].rows; }
  /// Of one shard alone: `sums` of the host are sent; where they are then, in the order of uses.
  const float* order_sums(const Device& device, std::size_t shard, std::span<const RowUse> uses, const float* sums);

  std::vector<Shard> shards_;
  Upload<float> sums_;
  std::vector<Group> groups_;
  std::vector<Place> places_;         // of each shard
  const AskedShard* read_ = nullptr;  // the batch whose bags the buckets hold
  int lane_count_ = 1;                // of the ordered one
};

}  // namespace tesserec::embedding
