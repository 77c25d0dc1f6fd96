// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tesserec/embedding/pooling.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/jagged/keyed_jagged_tensor.hpp>

namespace tesserec::sharding {

/// Bags of one feature and batch for one owner. Bags without ids in its rows are left out.
struct OwnerBags {
  std::span<const std::int32_t> samples;  ///< ascending
  const Index* offsets = nullptr;         ///< [samples + 1] into the lists below
  const Index* rows = nullptr;
  const float* weights = nullptr;  ///< null = 1
  const Index* places = nullptr;   ///< position of each id among the feature's ids; null = identity

  Index count() const { return std::ssize(samples); }
  Index ids() const { return offsets == nullptr ? 0 : offsets[count()]; }
  Index place(Index id) const { return places == nullptr ? id : places[id]; }
  /// Returns the index of the first bag whose sample is not before `sample`.
  Index from(Index sample) const;
  /// Returns the bags in the form that lookups take.
  embedding::Bags bags(bool unpooled) const;
};

/// Buckets of one feature's ids by the owners of their row blocks. Bucketizing is a counting sort of two passes over
/// the ids for any number of owners, as TorchRec's block_bucketize_sparse_features.
class OwnerBuckets {
 public:
  /// Takes the owner of each block, [block_count] from 0; empty = a single owner. `with_places`: fills
  /// OwnerBags::places.
  OwnerBuckets(const embedding::EmbeddingBagConfig& table, Index key, std::span<const std::uint16_t> owner_of,
               int owners, bool with_places);

  /// Bucketizes the ids of a batch. Results of of() are valid until the next call; a single owner's rows and weights
  /// also refer to `sparse`. Throws Error, naming feature, table, sample and value, if an id is outside its table.
  void fill(const jagged::KeyedJaggedTensor& sparse, Index first_sample);
  OwnerBags of(int owner) const;

 private:
  /// Position in an owner's lists. count() uses it for totals, place() for the next id and the last bag. `sample`:
  /// sample of the last id.
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
  Index first_sample_ = 0;  // first sample of the current batch
  std::vector<std::uint16_t> owner_of_id_;
  std::vector<Next> next_;                   // [owners]
  std::vector<Index> first_id_, first_bag_;  // [owners + 1]
  std::vector<std::int32_t> samples_;        // [bags], owner by owner
  std::vector<Index> offsets_;               // [bags + owners], owner by owner, each with an end
  std::vector<Index> rows_, places_;
  std::vector<float> weights_;
  const Index* all_rows_ = nullptr;  // rows of a single owner
  const float* all_weights_ = nullptr;
};

}  // namespace tesserec::sharding
