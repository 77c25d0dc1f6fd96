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
      : routes_(routes), shards_(routes.own().size()), relays_(routes.relays().shards.size()) {
    for (const Routes::OwnShard& own : routes.own()) own_fetched_ += own.fetched;
  }

  /// Numbers that each rank sends: whether it has an error, lengths of bags, and of each fetched shard rows and sums.
  void expect(const BatchSplit& split, Message<std::int32_t>& counts) const;

  /// The first rank whose counts say that it has an error; -1 = none.
  int first_refused(const Message<std::int32_t>& counts) const;

  /// How many ids and weights follow the counts that came.
  void count(Messages& messages) const;

  /// Reads the counts, ids and weights that came, which must stay. Others' sums and gradients begin at `others`, behind
  /// this rank's own and its front. Says what goes in the message of rows and comes in that of gradients.
  void read(const BatchSplit& split, const Front& front, Offsets others, Messages& messages);

  /// Of Routes::own; relayed ones are empty until `inside`, which read for this node, gives what it has of them.
  std::vector<embedding::AskedShard>& shards() { return shards_; }
  void take_relayed(Asked& inside);
  /// Of Routes::relays, a run of samples for each partner.
  const std::vector<embedding::AskedShard>& relays() const { return relays_; }

 private:
  /// Position in the messages that came, and where their sums and gradients lie.
  struct Reading {
    const BatchSplit& split;
    const Front& front;
    VectorMessage &rows, &gradients;
    const std::int32_t* count;
    const Index* ids;
    const float* weights;
    Index* offsets;
    int sender = 0;
    Offsets own, others = {};  ///< of the next sum and gradient: of this rank's samples, of others'
    Offsets& vectors(int me) { return sender == me ? own : others; }
  };
  /// A run of samples is that of `ranks` ranks: 1, or those of whom one asks. Own.same_ids: `before` has them.
  void read_bags(const Routes::OwnShard& own, embedding::AskedShard& shard, const embedding::AskedShard* before,
                 int ranks, Reading& at);
  void read_rows(std::size_t shard, Reading& at);

  const Routes& routes_;
  Index own_fetched_ = 0;  // shards
  std::vector<embedding::AskedShard> shards_, relays_;
  std::vector<Index> fetched_;  // ids of each fetched shard so far
  std::vector<Index> offsets_;  // of all bags that came
};

}  // namespace tesserec::sharding
