// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <vector>

#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/row_gradient.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// Lists to which ids are appended, and the offsets of their bags.
struct SelectedIds {
  std::vector<Index>& offsets;  ///< [samples + 1] into what was appended
  std::vector<Index>& ids;
  std::vector<float>* weights;  ///< 1 where the table has none; null: not wanted
};
/// Appends the rows of key's ids that lie in `blocks`, and their weights, to the lists of `to`. An id outside its table
/// is an Error that names feature, table, sample, value.
void select_ids(const embedding::EmbeddingBagConfig& table, const jagged::KeyedJaggedTensor& sparse, Index key,
                Range blocks, Index first_sample, const SelectedIds& to);

/// The samples' side of a shard whose rows travel un-pooled: each row comes once, its bags are pooled here,
/// and its gradient leaves as sums over this rank's whole subtrees of lanes. Bits and order are the owner's.
class RowFetch {
 public:
  /// `keys`: of the table's features, in the batches.
  RowFetch(const embedding::EmbeddingBagConfig& table, const planning::Shard& shard, const std::vector<Index>& keys);

  /// The ids of a batch: the samples of `rank`.
  void collect(const jagged::KeyedJaggedTensor& sparse, const BatchSplit& split, int rank);

  /// Rows wanted, ascending, each once.
  const std::vector<Index>& rows() const { return rows_; }
  /// Sums that will be sent: position in rows() * lanes + leaf.
  const std::vector<Index>& sums() const { return sums_; }
  Index dim() const { return shard_.columns.size(); }

  /// Bags of feature f and what they are pooled to; then their slots in a buffer of sums, set by the caller.
  const embedding::Bags& bags(std::size_t f) const { return features_[f].bags; }
  const embedding::Nodes& nodes(std::size_t f) const { return features_[f].nodes; }
  Index length(std::size_t f, Index sample) const { return bags(f).length(sample); }

  /// Sums of feature f's bags from the rows that came, [rows().size(), dim] -> out [nodes, dim].
  void pool(std::size_t f, const float* fetched, float* out) const;

  /// gradients_at[f]: float offset of the first of feature f's vectors in `gradients`, one a bag with ids, or one an id
  /// that is not pooled.
  /// out [sums().size(), dim].
  void sum_gradients(const float* gradients, std::span<const Index> gradients_at, float* out) const;
  /// What it adds: by row, in one by lane, `gradient` being the float offset of its vector.
  std::vector<embedding::RowUse> uses(std::span<const Index> gradients_at) const;
  /// Of this rank.
  Range lanes() const { return lanes_; }
  /// Of feature f's bag: its ids in the order of their blocks, (block, place in the bag).
  std::vector<std::pair<Index, Index>> in_blocks(std::size_t f, Index sample) const;
  Range blocks() const { return shard_.blocks; }

 private:
  struct Feature {
    Index key = 0;               // in the batches
    std::vector<Index> offsets;  // of its bags, in its own ids
    Index ids_at = 0;            // where these begin among the ids of all features
    embedding::Bags bags;
    embedding::Nodes nodes;
  };

  embedding::EmbeddingBagConfig table_;
  planning::Shard shard_;
  std::vector<Feature> features_;
  // The batch at hand.
  Range lanes_{0, 1};
  std::vector<Index> ids_;  // of all features
  std::vector<float> weights_;
  std::vector<Index> slots_;             // of each id: its row in what is fetched
  std::vector<embedding::RowUse> uses_;  // by row; `gradient` = place in ids_
  std::vector<Index> rows_, sums_;
};

}  // namespace tesserec::sharding
