// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/embedding/settings.hpp>
#include <tesserec/planning/plan.hpp>

namespace tesserec::sharding {

/// One feature of one shard: what a rank asks of the owner.
struct Route {
  std::size_t table = 0;
  int owner = 0;
  Range blocks;
  Index key = 0;         ///< in the batches
  Index sequence = -1;   ///< un-pooled: its place in Routes::sequences
  Index column = 0;      ///< of its first one, in the pooled vector, or in those of the sequence
  Index dim = 0;         ///< columns
  bool fetched = false;  ///< ExchangeForm::rows
  /// Of this rank's own shards: the sums are whole pooled vectors (or those of the sequence), the gradients are theirs.
  bool sums_in_place = false, gradients_in_place = false;
};

/// All that follows from the plan alone, once for all batches: who asks whom for what, and in which order. No other
/// place knows the order of shards.
class Routes {
 public:
  /// `features`: the keys of the batches. Error that names table and feature: one that is not there.
  Routes(int rank, int ranks, std::vector<embedding::EmbeddingBagConfig> tables, const planning::ShardingPlan& plan,
         const std::vector<std::string>& features);

  /// A shard that this rank holds.
  struct OwnShard {
    std::size_t table = 0;
    planning::Shard shard;
    bool replicated = false;      ///< data-parallel: asked by this rank alone
    bool fetched = false;         ///< a bag is one row, asked for once by each rank
    std::size_t first_route = 0;  ///< of one a feature
  };
  /// A shard whose rows travel un-pooled.
  struct Fetch {
    std::size_t table = 0;
    planning::Shard shard;
    std::vector<Index> keys;      ///< of the table's features
    std::size_t first_route = 0;  ///< of one a feature
  };
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
  };

  int rank() const { return rank_; }
  int ranks() const { return int(first_.size()) - 1; }
  const std::vector<embedding::EmbeddingBagConfig>& tables() const { return tables_; }
  bool weighted() const { return weighted_; }
  Index pooled_width() const { return pooled_width_; }
  /// Tables in order, in each its features in order.
  const std::vector<Sequence>& sequences() const { return sequences_; }

  /// All routes: of each owner in turn in the plan's order, with this rank's replicated tables after its others; then
  /// the fetched ones.
  const std::vector<Route>& all() const { return routes_; }
  /// Those of sums that `sender` asks of `owner`; one of the two is this rank.
  Range sums(int sender, int owner) const;
  /// By owner.
  const std::vector<Fetch>& fetches() const { return fetches_; }
  /// This rank's shards, as all() orders them: replicated ones last.
  const std::vector<OwnShard>& own() const { return own_; }
  /// Those of them whose rows travel.
  Index own_fetched() const { return own_fetched_; }
  const std::vector<Segment>& segments() const { return segments_; }

 private:
  void add_table(std::size_t t, const planning::ParameterSharding& sharding, const std::vector<Index>& keys);
  void order_by_owner();
  void find_sources();

  int rank_;
  std::vector<embedding::EmbeddingBagConfig> tables_;
  bool weighted_ = false;
  Index pooled_width_ = 0;
  std::vector<Sequence> sequences_;
  std::vector<Route> routes_;
  std::vector<Index> first_;  // of each owner's routes of sums, and the end
  Index replicated_ = 0;      // this rank's last ones
  std::vector<Fetch> fetches_;
  std::vector<OwnShard> own_;
  Index own_fetched_ = 0;
  std::vector<Segment> segments_;
};

}  // namespace tesserec::sharding
