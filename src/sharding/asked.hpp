// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "message.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// The owner's side of one batch: what came, shard by shard.
class Asked {
 public:
  explicit Asked(const Routes& routes)
      : routes_(routes), shards_(routes.own().size()), relays_(routes.relays().shards.size()) {
    for (const Routes::OwnShard& own : routes.own()) own_fetched_ += own.fetched;
  }

  /// Sets the counts to expect of each rank: its error, bags and ids, and each fetched shard's rows and sums.
  void expect(Message<std::int32_t>& counts) const;

  /// The first rank whose counts say that it has an error; -1 = none.
  int first_refused(const Message<std::int32_t>& counts) const;

  /// Reads from the counts that came how many ids and weights follow.
  void count(const BatchSplit& split, Messages& messages);

  /// Reads the counts, ids and weights that came, which must stay. Others' sums and gradients begin at `others`, behind
  /// this rank's own and its front. Says what goes in the message of rows and comes in that of gradients.
  void read(const Exec& exec, const BatchSplit& split, const Front& front, Offsets others, Messages& messages);

  /// Lists the lookups of Routes::own; relayed ones are empty until take_relayed.
  std::vector<embedding::AskedShard>& shards() { return shards_; }
  void take_relayed(Asked& inside);
  /// Returns what kernels read of shards().
  std::unique_ptr<embedding::BatchLists>& lists() { return lists_; }
  /// Lists those of Routes::relays, a run of samples for each partner.
  const std::vector<embedding::AskedShard>& relays() const { return relays_; }

 private:
  /// A shard that a sender asks, or what this rank relays.
  struct Target {
    const Routes::OwnShard& own;
    embedding::AskedShard& shard;
    const embedding::AskedShard* before;  ///< own.same_ids: it has them
    int ranks;                            ///< A run of samples is that of so many: 1, or those of whom one asks.
  };
  /// Position in the messages that came.
  struct Reading {
    const BatchSplit& split;
    const std::int32_t* count;
    const Index* ids;
    const float* weights;
    Index* offsets;
    std::int32_t* samples;
    std::vector<Index> row_sums;  ///< of each fetched shard, sender by sender
    int sender = 0;
  };
  /// Position of the next sum and gradient: of this rank's samples, of others'.
  struct Placing {
    const BatchSplit& split;
    const Front& front;
    VectorMessage &rows, &gradients;
    const Index* row_sums;
    Offsets own, others;
    int sender = 0;
    Offsets& next(int me) { return sender == me ? own : others; }
  };
  template <class Visit>  // visit(target): those that are not fetched, as messages have them
  void each_target(const BatchSplit& split, int sender, const Visit& visit);
  BagForm form_of(const BatchSplit& split, const Routes::OwnShard& own, int sender, Index listed) const;
  void read_bags(const Target& target, Reading& at);
  void read_rows(std::size_t shard, Reading& at);
  void find_nodes(const Exec& exec);
  void place_bags(const Target& target, Placing& at);
  void place_rows(std::size_t shard, Placing& at);

  const Routes& routes_;
  Index own_fetched_ = 0;  // shards
  std::vector<embedding::AskedShard> shards_, relays_;
  std::unique_ptr<embedding::BatchLists> lists_;
  std::vector<Index> fetched_rows_, placed_sums_;  // of each fetched shard so far
  std::vector<Index> offsets_;                     // of all bags that came
  std::vector<std::int32_t> samples_;              // of those that are listed
};

}  // namespace tesserec::sharding
