// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "message.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/asked_shard.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// The owner's side of one batch: what came, shard by shard.
class Asked {
 public:
  explicit Asked(const Routes& routes)
      : routes_(routes), shards_(routes.own().size()), relays_(routes.relays().size()) {}

  /// Numbers that each rank sends: whether it has an error, lengths of bags, and of each fetched shard rows and sums.
  void expect(const BatchSplit& split, Message<std::int32_t>& counts) const;

  /// The first rank whose counts say that it has an error; -1 = none.
  int first_refused(const Message<std::int32_t>& counts) const;

  /// How many ids and weights follow the counts that came.
  void count(const Message<std::int32_t>& counts, Message<Index>& ids, Message<float>& weights) const;

  /// Reads what came, which must stay. Others' sums and gradients begin at `others`, behind this rank's own and its
  /// front. Says what goes in `rows` and comes in `gradients`.
  void read(const BatchSplit& split, const Message<std::int32_t>& counts, const Message<Index>& ids,
            const Message<float>& weights, const Front& front, Offsets others, VectorMessage& rows,
            VectorMessage& gradients);

  /// Of Routes::own; relayed ones are empty until `inside`, which read for this node, gives what it has of them.
  const std::vector<embedding::AskedShard>& shards() const { return shards_; }
  void take_relayed(Asked& inside);
  /// Of Routes::relays, a run of samples for each partner.
  const std::vector<embedding::AskedShard>& relays() const { return relays_; }

 private:
  /// Where reading is, in what came.
  struct Cursor {
    const std::int32_t* count;
    const Index* ids;
    const float* weights;
    Index* offsets;
  };
  /// A run of samples is that of `ranks` ranks: 1, or those of whom one asks. Own.same_ids: `before` has them.
  void read_bags(const Routes::OwnShard& own, embedding::AskedShard& shard, const embedding::AskedShard* before,
                 int ranks, int sender, const BatchSplit& split, const Front& front, Cursor& at, Offsets& vectors,
                 VectorMessage& rows, VectorMessage& gradients);
  void read_rows(std::size_t shard, int sender, int lanes, Cursor& at, Offsets& vectors);

  const Routes& routes_;
  std::vector<embedding::AskedShard> shards_, relays_;
  std::vector<Index> offsets_;  // of all bags that came
};

}  // namespace tesserec::sharding
