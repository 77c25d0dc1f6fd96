// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <tesserec/core/lanes.hpp>
#include <tesserec/embedding/block_of.hpp>
#include <tesserec/embedding/settings.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// Levels by which messages go from node to node.
struct Levels {
  int ranks_per_node = 1;  ///< rank r lies on node r / ranks_per_node
  int most = 2;            ///< 1: owners and samples' ranks send each other all; 2: planning::by_two_levels
};

/// One feature of one shard: what a rank asks of the owner, or of its relay on the owners' node.
struct Route {
  std::size_t table = 0;
  int owner = 0;
  Range blocks;
  Index features = 1;    ///< of the table: the routes of a shard stand side by side
  Index key = 0;         ///< in the batches
  Index sequence = -1;   ///< un-pooled: its place in Routes::sequences
  Index column = 0;      ///< of its first one, in the pooled vector, or in those of the sequence
  Index dim = 0;         ///< columns
  bool fetched = false;  ///< ExchangeForm::rows
  bool relayed = false;  ///< the owner is a relay
  bool replicated = false;
  bool same_ids = false;  ///< those that the relay has for other columns of the feature, which go once
  /// Routes to this rank itself: sums are whole pooled vectors (or the sequence's), and gradients are theirs.
  bool sums_in_place = false, gradients_in_place = false;
};

/// The vectors of a rank's samples, and whose sums they are made of.
struct VectorLayout {
  /// A feature that stays un-pooled: one vector an id.
  struct Sequence {
    std::size_t table = 0, feature = 0;
    Index key = 0;  ///< in the batches
    Index dim = 0;
  };
  /// Columns of the pooled vector, or of a sequence's vectors, and where their sums come from, in row order.
  struct Segment {
    Index sequence = -1;
    Index column = 0;
    Index dim = 0;
    bool mean = false;
    std::vector<std::size_t> routes;
    /// [block_count] the place of each block's route in `routes`; empty: one has all.
    std::vector<std::uint16_t> owner_of;
  };
  Index pooled_width = 0;
  std::vector<Sequence> sequences;  ///< tables in order, in each its features in order
  std::vector<Segment> segments;
};

/// All that follows from the plan alone, once for all batches: who asks whom for what. No one else orders shards.
class Routes {
 public:
  /// `features`: the keys of the batches. Error that names table and feature: one that is not there.
  Routes(int rank, int ranks, std::vector<embedding::EmbeddingBagConfig> tables, const planning::ShardingPlan& plan,
         const std::vector<std::string>& features, Levels levels = {});

  /// A shard that this rank holds.
  struct OwnShard {
    std::size_t table = 0;
    planning::Shard shard;
    bool replicated = false;      ///< data-parallel: asked by this rank alone
    bool fetched = false;         ///< a bag is one row, asked for once by each rank
    bool relayed = false;         ///< asked inside the node alone, by relays; without a route here
    bool same_ids = false;        ///< relayed: those of the one before
    std::size_t first_route = 0;  ///< of one a feature
  };
  /// A shard whose rows travel un-pooled.
  struct Fetch {
    std::size_t table = 0;
    planning::Shard shard;
    std::vector<Index> keys;      ///< of the table's features
    std::size_t first_route = 0;  ///< of one a feature
  };
  /// Columns of tables on this node that this rank relays: partners, the ranks in its place on all nodes, ask it alone.
  struct Relays {
    /// The place of a relayed shard in the tables of the owners.
    struct Columns {
      std::size_t table = 0;
      Index first = 0;
    };
    std::vector<OwnShard> shards;
    std::vector<Columns> inside;           ///< [shards]
    std::unique_ptr<const Routes> routes;  ///< the columns that lie here, as tables of so many; null without shards
  };

  int rank() const { return rank_; }
  int ranks() const { return int(first_.size()) - 1; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return tables_; }
  /// The ranks of this one's node.
  Range node() const { return {rank_ / node_ * node_, rank_ / node_ * node_ + node_}; }
  bool weighted() const { return weighted_; }
  const VectorLayout& vectors() const { return vectors_; }

  /// Lists routes by owner in the plan's order, those relayed here, of replicated tables, and the fetched ones.
  const std::vector<Route>& all() const { return routes_; }
  /// Returns the routes of sums that `sender` asks of `owner`; one of the two is this rank.
  Range sums(int sender, int owner) const;
  /// Returns how many numbers say which ids `sender` has for `owner`: a shard's samples with ids, each feature's ids.
  Index id_counts(int sender, int owner) const;
  /// Returns whether the owner of a route returns the sums of whole bags.
  bool finished(const Route& route) const {
    return route.sequence >= 0 || route.blocks.size() == embedding::block_count;
  }
  /// Lists shards whose rows travel, by owner.
  const std::vector<Fetch>& fetches() const { return fetches_; }
  /// This rank's shards, as all() orders them: replicated ones last.
  const std::vector<OwnShard>& own() const { return own_; }

  /// Samples that `sender` asks for: its own; inside a node, those of the ranks with its place in all nodes.
  Index samples(const BatchSplit& split, int sender) const;
  const Relays& relays() const { return relays_; }
  bool is_partner(int rank) const { return rank % node_ == rank_ % node_; }

 private:
  void add_table(std::size_t t, const planning::ParameterSharding& sharding, const std::vector<Index>& keys,
                 bool relayed);
  void order_by_owner();
  void find_sources();

  int rank_;
  int node_;  // its ranks
  std::vector<embedding::EmbeddingBagConfig> tables_;
  bool weighted_ = false;
  VectorLayout vectors_;
  std::vector<Route> routes_;
  std::vector<Index> first_;  // of each owner's routes of sums, and the end
  Index relayed_ = 0;         // of this rank's, those that partners alone ask for
  Index replicated_ = 0;      // and its last ones
  std::vector<Fetch> fetches_;
  std::vector<OwnShard> own_;
  Relays relays_;
};

}  // namespace tesserec::sharding
