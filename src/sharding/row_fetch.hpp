// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "owner_buckets.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// The samples' side of a shard whose rows travel un-pooled: each row comes once, its bags are pooled here,
/// and its gradient leaves as sums over this rank's whole subtrees of lanes. Bits and order are the owner's.
class RowFetch {
 public:
  RowFetch(const embedding::EmbeddingBagConfig& table, const planning::Shard& shard);

  /// Takes the bags of each feature for the samples of `rank`. Copies ids and weights; lists of samples must stay.
  void collect(std::span<const OwnerBags> features, const BatchSplit& split, int rank);

  /// Rows wanted, ascending, each once.
  const std::vector<Index>& rows() const { return rows_; }
  /// Sums that will be sent: position in rows() * lanes + leaf.
  const std::vector<Index>& sums() const { return sums_; }
  Index dim() const { return shard_.columns.size(); }

  /// Bags of feature f; their slots are places in rows().
  const embedding::Bags& bags(std::size_t f) const { return features_[f].bags; }

  /// Sums of feature f's bags from the rows that came, [rows().size(), dim] -> out [nodes, dim].
  void pool(std::size_t f, const embedding::Nodes& nodes, const float* fetched, float* out) const;

  /// gradients_at[f]: float offset of feature f's first vector in `gradients`, one a bag, or one an un-pooled id. out
  /// [sums().size(), dim].
  void sum_gradients(const float* gradients, std::span<const Index> gradients_at, float* out) const;
  /// Lists what it adds: by row, then lane; `gradient` = the float offset of its vector.
  std::vector<embedding::RowUse> uses(std::span<const Index> gradients_at) const;
  /// Lanes of this rank.
  Range lanes() const { return lanes_; }
  /// Returns the ids of feature f's bag by block: (block, place in the bag).
  std::vector<std::pair<Index, Index>> in_blocks(std::size_t f, Index bag) const;
  Range blocks() const { return shard_.blocks; }

 private:
  struct Feature {
    Index ids_at = 0;  // where its ids begin among those of all features
    std::span<const std::int32_t> samples;
    embedding::Bags bags;
  };
  void copy_ids(std::span<const OwnerBags> features);
  void list_uses(const BatchSplit& split, Index first_sample);
  void find_rows(int lane_count);

  embedding::EmbeddingBagConfig table_;
  planning::Shard shard_;
  // The batch at hand.
  std::vector<Feature> features_;
  Range lanes_{0, 1};
  std::vector<Index> ids_;  // of all features
  std::vector<float> weights_;
  std::vector<Index> slots_;             // of each id: its row in what is fetched
  std::vector<embedding::RowUse> uses_;  // by row; `gradient` = place in ids_
  std::vector<Index> rows_, sums_;
};

}  // namespace tesserec::sharding
