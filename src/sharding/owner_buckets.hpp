// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::sharding {

/// One feature's bags of a batch as one owner gets them: without those that have no ids among its rows.
struct OwnerBags {
  std::span<const std::int32_t> samples;  ///< ascending
  const Index* offsets = nullptr;         ///< [samples + 1] into what follows
  const Index* rows = nullptr;
  const float* weights = nullptr;  ///< null = 1
  const Index* places = nullptr;   ///< of each id among those of the feature; null: the same

  Index count() const { return std::ssize(samples); }
  Index ids() const { return offsets == nullptr ? 0 : offsets[count()]; }
  Index place(Index id) const { return places == nullptr ? id : places[id]; }
  /// Returns the first bag whose sample is not before `sample`.
  Index from(Index sample) const;
  /// Returns them as the lookup wants them.
  embedding::Bags bags(bool unpooled) const;
};

/// The ids of one feature, cut by the owners of their row blocks: two passes over the ids, whatever the number of
/// owners (a counting sort; TorchRec's block_bucketize_sparse_features).
class OwnerBuckets {
 public:
  /// `owner_of` [block_count]: each block's owner, from 0; empty = one has all. `with_places`: fills OwnerBags::places.
  OwnerBuckets(const embedding::EmbeddingBagConfig& table, Index key, std::span<const std::uint16_t> owner_of,
               int owners, bool with_places);

  /// Cuts the ids of a batch. What of() returns holds until the next call; rows and weights of a single owner until
  /// `sparse` changes. An id outside its table is an Error that names feature, table, sample and value.
  void fill(const jagged::KeyedJaggedTensor& sparse, Index first_sample);
  OwnerBags of(int owner) const;

 private:
  /// Position in an owner's lists: ids and bags so far, or the next id's and last bag's place; its last id's sample.
  struct Next {
    Index id = 0, bag = 0, sample = -1;
  };
  Index row_of(const jagged::KeyedJaggedTensor& sparse, Index id, Index sample) const;
  void keep_all(const jagged::KeyedJaggedTensor& sparse);
  void count(const jagged::KeyedJaggedTensor& sparse);
  void place(const jagged::KeyedJaggedTensor& sparse);

  const embedding::EmbeddingBagConfig& table_;
  Index key_;
  std::span<const std::uint16_t> owner_of_;
  int owners_;
  bool with_places_;
  Index first_sample_ = 0;  // of the batch at hand
  std::vector<std::uint16_t> owner_of_id_;
  std::vector<Next> next_;                   // [owners]
  std::vector<Index> first_id_, first_bag_;  // [owners + 1]
  std::vector<std::int32_t> samples_;        // [bags], owner by owner
  std::vector<Index> offsets_;               // the same, with the end of each owner's
  std::vector<Index> rows_, places_;
  std::vector<float> weights_;
  const Index* all_rows_ = nullptr;  // of a single owner
  const float* all_weights_ = nullptr;
};

}  // namespace tesserec::sharding
