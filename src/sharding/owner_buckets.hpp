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
/// the ids for any number of owners, as TorchRec's block_bucketize_sparse_features. A third pass lists each owner's
/// bags.
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
  [[noreturn]] void refuse(const jagged::KeyedJaggedTensor& sparse, Index at) const;
  void keep_all(const jagged::KeyedJaggedTensor& sparse);
  void sort(const jagged::KeyedJaggedTensor& sparse);
  void list(const jagged::KeyedJaggedTensor& sparse);

  const embedding::EmbeddingBagConfig& table_;
  Index key_;
  std::span<const std::uint16_t> owner_of_;
  int owners_;
  bool with_places_;
  Index first_sample_ = 0;             // first sample of the current batch
  std::vector<Index> first_id_;        // [owners + 1] where an owner's ids begin, and, shifted by it, its offsets
  std::vector<Index> bags_;            // [owners] bags with ids
  std::vector<std::int32_t> samples_;  // [ids], owner by owner; the first bags_ of each are set
  std::vector<Index> offsets_;         // [ids + owners], owner by owner; the first bags_ + 1 of each are set
  std::vector<Index> rows_, places_;
  std::vector<float> weights_;
  const Index* all_rows_ = nullptr;  // rows of a single owner
  const float* all_weights_ = nullptr;
};

}  // namespace tesserec::sharding
