// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <vector>

#include "message.hpp"
#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/row_kernels.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// Owner's side of one batch: the received lookups of each shard.
class ReceivedLookups {
 public:
  explicit ReceivedLookups(const Routes& routes)
      : routes_(routes), shards_(routes.own().size()), relays_(routes.relays().shards.size()) {
    for (const Routes::OwnShard& own : routes.own()) own_fetched_ += own.fetched;
  }

  /// Sets the number of counts to expect from each rank: an error flag, samples and ids of each shard, rows and sums of
  /// each fetched shard.
  void expect(Message<std::int32_t>& counts) const;

  /// Returns the first rank that reports an error in its counts; -1 = none.
  int first_refused(const Message<std::int32_t>& counts) const;

  /// Reads the received counts, and sets how many ids and weights will follow.
  void count(const BatchSplit& split, Messages& messages);

  /// Reads the received counts, ids and weights, which must stay valid. Sums and gradients of other ranks begin at
  /// `others`. Sets the sizes of the messages of rows and of gradients.
  void read(const Exec& exec, const BatchSplit& split, const Front& front, Offsets others, Messages& messages);

  /// Returns the lookups of Routes::own. Lookups of relayed shards are empty until take_relayed().
  std::vector<embedding::ShardLookups>& shards() { return shards_; }
  void take_relayed(ReceivedLookups& inside);
  /// Returns the lists that kernels read of shards().
  std::unique_ptr<embedding::BatchLists>& lists() { return lists_; }
  /// Returns the lookups of Routes::relays, one run of samples per partner.
  const std::vector<embedding::ShardLookups>& relays() const { return relays_; }

 private:
  /// Shard that a sender asks for: this rank's own, or one that it relays.
  struct Target {
    const Routes::OwnShard& own;
    embedding::ShardLookups& shard;
    const embedding::ShardLookups* before;  ///< if own.same_ids: the preceding shard, which has the ids
    int ranks;                              ///< number of ranks per run; the samples of rank r are in run r / ranks
  };
  /// Position in the received messages.
  struct Reading {
    const BatchSplit& split;
    const std::int32_t* count;
    const Index* ids;
    const float* weights;
    Index* offsets;
    std::int32_t* samples;
    std::vector<Index> row_sums;  ///< number of sums of each fetched shard, sender by sender
    int sender = 0;
  };
  /// Position of the next sum and gradient, of this rank's samples and of others'.
  struct Placing {
    const BatchSplit& split;
    const Front& front;
    VectorMessage &rows, &gradients;
    const Index* row_sums;
    Offsets own, others;
    int sender = 0;
    Offsets& next(int own_rank) { return sender == own_rank ? own : others; }
  };
  template <class Visit>  // visit(target), in message order, for all but fetched shards
  void visit_targets(const BatchSplit& split, int sender, const Visit& visit);
  BagForm form_of(const BatchSplit& split, const Routes::OwnShard& own, int sender, Index listed) const;
  void read_bags(const Target& target, Reading& at);
  void read_rows(std::size_t shard, Reading& at);
  void find_nodes(const Exec& exec);
  void place_bags(const Target& target, Placing& at);
  void place_rows(std::size_t shard, Placing& at);

  const Routes& routes_;
  Index own_fetched_ = 0;  // number of fetched shards
  std::vector<embedding::ShardLookups> shards_, relays_;
  std::unique_ptr<embedding::BatchLists> lists_;
  std::vector<Index> fetched_rows_, placed_sums_;  // [shard] numbers so far, of fetched shards
  std::vector<Index> offsets_;                     // offsets of all received bags
  std::vector<std::int32_t> samples_;              // samples of bags whose samples are listed
};

}  // namespace tesserec::sharding
