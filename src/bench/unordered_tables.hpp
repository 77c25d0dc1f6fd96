// SPDX-License-Identifier: Apache-2.0
/// Tables without the reduction law, for comparison alone: rows of a bag and gradients of a row are added as they come,
/// and what travels is one sum a bag and owner.
#pragma once

#include <tesserec/sharding/sharded_embedding_bag_collection.hpp>

namespace tesserec::bench {

class UnorderedTables {
 public:
  /// The rows of `tables` in place, cut by their plan. `features` names the keys of the batches. Error, naming the
  /// table: columns cut, data_parallel on several ranks, mean, weights, the dense kernel.
  UnorderedTables(const comm::Communicator& comm, const sharding::ShardedEmbeddingBagCollection& tables,
                  const std::vector<std::string>& features, const Lanes& lanes);

  /// Writes pooled [B, pooled width], as ShardedEmbeddingBagCollection::forward returns them.
  void forward(const jagged::KeyedJaggedTensor& sparse, Index global_size, float* pooled);
  /// Moves every row of that batch once, at its table's base rate. `pooled_gradient` [B, pooled width].
  void backward(const float* pooled_gradient, Index step);

 private:
  /// One feature of one shard.
  struct Slot {
    const embedding::EmbeddingBagConfig* table = nullptr;
    Range rows;
    Index key = 0;     // in the batches
    Index column = 0;  // in the pooled vector
    Index dim = 0;
    const embedding::EmbeddingTable* shard = nullptr;  // on its owner
  };
  template <class T>
  using ByRank = std::vector<std::vector<T>>;

  /// What goes to each rank and comes from each.
  template <class T>
  struct Parcels {
    ByRank<T> out, in;
  };

  /// Lengths of the bags that this rank asked of `owner`.
  const std::vector<std::int32_t>& asked(int owner) const {
    return (owner == comm_.rank() ? lengths_.in : lengths_.out)[owner];
  }
  void ask(const jagged::KeyedJaggedTensor& sparse);
  void pool(int sender);
  void update(std::size_t first_slot, std::size_t last_slot, Index step);

  const comm::Communicator& comm_;
  Lanes lanes_;
  ByRank<Slot> slots_;  // of each owner
  Index pooled_width_ = 0;

  Index samples_ = 0, global_size_ = 0;
  Parcels<std::int32_t> lengths_;  // [slot][sample]
  Parcels<Index> ids_;
  Parcels<float> sums_, gradients_;                 // bags with ids only
  std::vector<std::size_t> ids_at_, gradients_at_;  // [rank], while shards are updated in turn
  std::vector<embedding::RowUse> uses_;             // lane: the rank
};

}  // namespace tesserec::bench
