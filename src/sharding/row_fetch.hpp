// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include "owner_buckets.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// Samples' side of a shard whose rows are fetched un-pooled. Each row arrives once, and its bags are pooled here. Its
/// gradient is sent as sums over this rank's whole subtrees of lanes. Order and bits are those of a pooled exchange.
class RowFetch {
 public:
  RowFetch(const embedding::EmbeddingBagConfig& table, const planning::Shard& shard);

  /// Takes the bags of each feature for the samples of `rank`. Copies ids and weights; lists of samples must stay
  /// valid.
  void collect(std::span<const OwnerBags> features, const BatchSplit& split, int rank);

  /// Returns the rows to fetch, ascending and unique.
  const std::vector<Index>& rows() const { return rows_; }
  /// Returns the sums to be sent, as (index in rows()) * lanes + leaf.
  const std::vector<Index>& sums() const { return sums_; }
  Index dim() const { return shard_.columns.size(); }

  /// Returns the bags of feature f, whose slots are indices in rows().
  const embedding::Bags& bags(std::size_t f) const { return features_[f].bags; }

  /// Writes the sums of feature f's bags to out [nodes, dim]. `fetched`: the received rows, [rows().size(), dim].
  void pool(std::size_t f, const embedding::Nodes& nodes, const float* fetched, float* out) const;

  /// Writes the gradient sums to out [sums().size(), dim]. gradients_at[f]: float offset of feature f's first vector in
  /// `gradients`, which has one vector per bag, or per un-pooled id.
  void sum_gradients(const float* gradients, std::span<const Index> gradients_at, float* out) const;
  /// Lists the uses that sum_gradients() adds, by row, then by lane. RowUse::gradient is a float offset.
  std::vector<embedding::RowUse> uses(std::span<const Index> gradients_at) const;
  /// Returns the lanes of this rank.
  Range lanes() const { return lanes_; }
  /// Returns the ids of a bag of feature f as (block, position in the feature's ids), sorted.
  std::vector<std::pair<Index, Index>> in_blocks(std::size_t f, Index bag) const;
  Range blocks() const { return shard_.blocks; }

 private:
  struct Feature {
    Index ids_at = 0;  // position of its first id in ids_
    std::span<const std::int32_t> samples;
    embedding::Bags bags;
  };
  void copy_ids(std::span<const OwnerBags> features);
  void list_uses(const BatchSplit& split, Index first_sample);
  void find_rows(int lane_count);

  embedding::EmbeddingBagConfig table_;
  planning::Shard shard_;
  // The members below belong to the current batch.
  std::vector<Feature> features_;
  Range lanes_{0, 1};
  std::vector<Index> ids_;  // ids of all features
  std::vector<float> weights_;
  std::vector<Index> slots_;             // [ids] index of each id's row in rows_
  std::vector<embedding::RowUse> uses_;  // sorted by row; RowUse::gradient is an index in ids_
  std::vector<Index> rows_, sums_;
};

}  // namespace tesserec::sharding
