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

/// Levels of the exchange between nodes.
struct Levels {
  int ranks_per_node = 1;  ///< rank r lies on node r / ranks_per_node
  int max = 2;             ///< most levels; 1 = every rank asks every owner, 2 = relays by planning::by_two_levels
};

/// Request of a rank for one feature of one shard, sent to the owner or to its relay on the owners' node.
struct Route {
  std::size_t table = 0;
  int owner = 0;
  Range blocks;
  Index features = 1;    ///< features of the table; the routes of a shard are adjacent
  Index key = 0;         ///< index in the batches
  Index sequence = -1;   ///< index in VectorLayout::sequences if un-pooled, else -1
  Index column = 0;      ///< first column in the pooled vector, or in the vectors of the sequence
  Index dim = 0;         ///< number of columns
  bool fetched = false;  ///< ExchangeForm::rows
  bool relayed = false;  ///< the owner is a relay
  bool replicated = false;
  bool same_ids = false;  ///< the relay has the same ids already, for other columns of the feature
  /// Flags of a route to this rank itself: its sums are written straight into the pooled (or sequence) vectors, and its
  /// gradients are read from theirs.
  bool sums_in_place = false, gradients_in_place = false;
};

/// Layout of the vectors of a rank's samples, with the routes that their sums use.
struct VectorLayout {
  /// Un-pooled feature, with one vector per id.
  struct Sequence {
    std::size_t table = 0, feature = 0;
    Index key = 0;  ///< index in the batches
    Index dim = 0;
  };
  /// Columns of the pooled vector, or of the vectors of a sequence, with the routes of their sums in row order.
  struct Segment {
    Index sequence = -1;
    Index column = 0;
    Index dim = 0;
    bool mean = false;
    std::vector<std::size_t> routes = {};
    /// [block_count] Index into `routes` of each block's route. Empty if one route has all blocks.
    std::vector<std::uint16_t> owner_of = {};
  };
  Index pooled_width = 0;
  std::vector<Sequence> sequences;  ///< un-pooled features by table, then by feature
  std::vector<Segment> segments;
};

/// Routes that follow from the plan alone, found once for all batches: which rank asks which owner for what. Only this
/// class orders shards.
class Routes {
 public:
  /// Finds the routes of `rank`. `features` are the keys of the batches. Throws Error, naming table and feature, if the
  /// batches lack a feature of a table.
  Routes(int rank, int ranks, std::vector<embedding::EmbeddingBagConfig> tables, const planning::ShardingPlan& plan,
         const std::vector<std::string>& features, Levels levels = {});

  /// Shard that this rank holds.
  struct OwnShard {
    std::size_t table = 0;
    planning::Shard shard;
    bool replicated = false;      ///< data-parallel: only this rank asks for it
    bool fetched = false;         ///< ExchangeForm::rows: each bag is one row, and each rank asks for a row once
    bool relayed = false;         ///< only relays of its node ask for it; it has no route here
    bool same_ids = false;        ///< relayed: its ids are those of the preceding shard
    std::size_t first_route = 0;  ///< first of its routes, one per feature
  };
  /// Shard whose rows are fetched un-pooled.
  struct Fetch {
    std::size_t table = 0;
    planning::Shard shard;
    std::vector<Index> keys;      ///< batch keys of the table's features
    std::size_t first_route = 0;  ///< first of its routes, one per feature
  };
  /// Columns on this node that this rank relays. Its partners, the ranks with its place on all nodes, ask this rank
  /// alone for them.
  struct Relays {
    /// Position of a relayed shard in the tables of the second level (`routes`).
    struct Columns {
      std::size_t table = 0;
      Index first = 0;
    };
    std::vector<OwnShard> shards;
    std::vector<Columns> inside;           ///< [shards] positions of the shards
    std::unique_ptr<const Routes> routes;  ///< second level, with the columns as tables; null without shards
  };

  int rank() const { return rank_; }
  int ranks() const { return int(first_.size()) - 1; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return tables_; }
  /// Returns the ranks of this rank's node.
  Range node() const { return {rank_ / node_ * node_, rank_ / node_ * node_ + node_}; }
  bool weighted() const { return weighted_; }
  const VectorLayout& vectors() const { return vectors_; }

  /// Returns all routes. Routes of sums precede fetched ones, and each kind is ordered by owner. The routes of one
  /// owner are in the plan's order: first plain tables, then relayed columns, then replicated tables.
  const std::vector<Route>& all() const { return routes_; }
  /// Returns the routes whose sums `sender` asks of `owner`. One of the two must be this rank.
  Range sums(int sender, int owner) const;
  /// Returns how many counts announce the ids of `sender` for `owner`: per shard, the samples with ids and the ids of
  /// each feature.
  Index id_counts(int sender, int owner) const;
  /// Returns whether the owner of a route returns finished sums, those of whole bags or un-pooled vectors.
  bool finished(const Route& route) const {
    return route.sequence >= 0 || route.blocks.size() == embedding::block_count;
  }
  /// Returns the fetched shards, ordered by owner.
  const std::vector<Fetch>& fetches() const { return fetches_; }
  /// Returns this rank's shards in the plan's order, replicated ones last.
  const std::vector<OwnShard>& own() const { return own_; }

  /// Returns the number of samples that `sender` asks for: its own, or, inside a node, those of all ranks with its
  /// place on their nodes.
  Index samples(const BatchSplit& split, int sender) const;
  const Relays& relays() const { return relays_; }
  bool is_partner(int rank) const { return rank % node_ == rank_ % node_; }

 private:
  void add_table(std::size_t t, const planning::ParameterSharding& sharding, const std::vector<Index>& keys,
                 bool relayed);
  void order_by_owner();
  void find_sources();

  int rank_;
  int node_;  // number of ranks of a node
  std::vector<embedding::EmbeddingBagConfig> tables_;
  bool weighted_ = false;
  VectorLayout vectors_;
  std::vector<Route> routes_;
  std::vector<Index> first_;  // [owner + 1] first route of sums of each owner, and the end
  Index relayed_ = 0;         // number of this rank's routes that only partners ask for
  Index replicated_ = 0;      // number of this rank's routes of replicated tables, the last ones
  std::vector<Fetch> fetches_;
  std::vector<OwnShard> own_;
  Relays relays_;
};

}  // namespace tesserec::sharding
