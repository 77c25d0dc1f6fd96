// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>

#include "row_bucket.hpp"
#include <tesserec/embedding/row_kernels.hpp>

namespace tesserec::embedding {

/// Row kernels with one source for every Kokkos space. Shards of equal dim and optimizer share a launch.
class PortableRows : public RowKernels {
 public:
  explicit PortableRows(std::vector<Shard> shards);

  /// Also sorts the ids by row if gradients will follow.
  void read(const Exec& exec, const RowBatch& batch) override;
  void lookup(const Exec& exec, const RowBatch& batch, float* sums) override;
  std::vector<RowSums> sum(const Exec& exec, const RowBatch& batch, const float* gradients,
                           std::span<const std::size_t> shards) override;
  std::vector<std::vector<float>> move(const Exec& exec, const RowMoves& moves) override;

 private:
  /// Bucket of shards, with their common properties.
  struct Group {
    std::vector<std::size_t> shards;  // in the bucket's order
    bool fetched;
    Askers askers;
    bool shared;
    std::unique_ptr<RowBucket> rows;
  };
  struct InGroup {
    std::size_t group = 0, at = 0;
  };
  struct GroupLists : BatchLists {
    std::deque<RowBucket::Lists> groups;
  };
  RowBucket& bucket(std::size_t shard) const { return *groups_[places_[shard].group].rows; }
  static std::deque<RowBucket::Lists>& lists_of(const RowBatch& batch);

  std::vector<Shard> shards_;
  std::vector<Group> groups_;
  std::vector<InGroup> places_;  // [shard]
};

}  // namespace tesserec::embedding
