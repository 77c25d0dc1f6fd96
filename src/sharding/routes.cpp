// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>
#include <set>
#include <tuple>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {
namespace {

Index key_of(const std::vector<std::string>& features, const std::string& feature, const std::string& table) {
  const auto found = std::find(features.begin(), features.end(), feature);
  if (found == features.end())
    fail("table ", table, ": feature \"", feature, "\" is not in the data; use one of ", join(features));
  return found - features.begin();
}

/// Returns the shards that `rank` asks of relays. Adjacent columns on one node become one shard of the relay there.
std::vector<planning::Shard> on_relays(const std::vector<planning::Shard>& shards, int rank, int node) {
  std::vector<planning::Shard> relayed;
  for (const planning::Shard& shard : shards) {
    const int relay = shard.rank / node * node + rank % node;
    if (relayed.empty() || relayed.back().rank != relay) relayed.push_back({relay, {}, shard.columns});
    relayed.back().blocks = {0, embedding::block_count};
    relayed.back().columns.end = shard.columns.end;
  }
  return relayed;
}

/// Finds the second level of relays.shards: the tables of the owners on this node, and their routes.
void find_second_level(Routes::Relays& relays, const Routes& routes, const planning::ShardingPlan& plan) {
  const int node = int(routes.node().size());
  std::vector<embedding::EmbeddingBagConfig> tables;
  planning::ShardingPlan node_plan;
  std::vector<std::string> features;
  for (const Routes::OwnShard& relay : relays.shards) {
    const std::size_t t = relay.table;
    if (relays.inside.empty() || relays.shards[relays.inside.size() - 1].table != t) {
      // The second level gets rows instead of ids, and leaves means to the samples' side.
      embedding::EmbeddingBagConfig& table = tables.emplace_back(routes.tables()[t]);
      table.half = {};
      table.pooling = embedding::PoolingType::sum;
      table.embedding_dim = 0;
      table.unpooled.clear();
      for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
        table.feature_names[f].insert(0, table.name + "/");  // unique, although several tables may share a feature
        if (!routes.tables()[t].pools(f)) table.unpooled.push_back(table.feature_names[f]);
        features.push_back(table.feature_names[f]);
      }
      node_plan.emplace_back(plan[t]).shards.clear();
    }
    const Index column = tables.back().embedding_dim, left_out = relay.shard.columns.begin - column;
    relays.inside.push_back({tables.size() - 1, column});
    tables.back().embedding_dim += relay.shard.columns.size();
    for (planning::Shard shard : plan[t].shards) {
      if (!routes.node().contains(shard.rank) || !relay.shard.columns.contains(shard.columns.begin)) continue;
      shard.rank %= node;
      shard.columns = {shard.columns.begin - left_out, shard.columns.end - left_out};
      node_plan.back().shards.push_back(shard);
    }
  }
  relays.routes = std::make_unique<const Routes>(routes.rank() % node, node, std::move(tables), node_plan, features,
                                                 Levels{node, 1});
}

}  // namespace

Routes::Routes(int rank, int ranks, std::vector<embedding::EmbeddingBagConfig> tables,
               const planning::ShardingPlan& plan, const std::vector<std::string>& features, Levels levels)
    : rank_(rank), node_(levels.ranks_per_node), tables_(std::move(tables)), first_(ranks + 1) {
  for (std::size_t t = 0; t < tables_.size(); ++t) {
    std::vector<Index> keys;
    for (const std::string& feature : tables_[t].feature_names)
      keys.push_back(key_of(features, feature, tables_[t].name));
    add_table(t, plan[t], keys, levels.max > 1 && planning::by_two_levels(plan[t], ranks, node_));
  }
  order_by_owner();
  find_sources();
  if (!relays_.shards.empty()) find_second_level(relays_, *this, plan);
}

void Routes::add_table(std::size_t t, const planning::ParameterSharding& sharding, const std::vector<Index>& keys,
                       bool relayed) {
  const embedding::EmbeddingBagConfig& table = tables_[t];
  weighted_ = weighted_ || table.weighted;
  const bool replicated = sharding.type == planning::ShardingType::data_parallel;
  const bool fetched = !replicated && sharding.form == planning::ExchangeForm::rows;
  const std::vector<planning::Shard> shards = replicated ? planning::cut(table, 1, 1, std::vector<int>{rank_})
                                              : relayed  ? on_relays(sharding.shards, rank_, node_)
                                                         : sharding.shards;
  const auto features = std::ssize(keys);
  struct VectorsAt {
    Index sequence, column;
  };
  std::vector<VectorsAt> places;  // position of each feature's vectors
  for (Index f = 0; f < features; ++f) {
    places.push_back(table.pools(f) ? VectorsAt{-1, vectors_.pooled_width}
                                    : VectorsAt{std::ssize(vectors_.sequences), 0});
    if (table.pools(f))
      vectors_.pooled_width += table.embedding_dim;
    else
      vectors_.sequences.push_back({t, std::size_t(f), keys[f], table.embedding_dim});
  }
  std::set<int> relays;  // relays of the preceding shards
  for (const planning::Shard& shard : shards) {
    const bool same_ids = relayed && !relays.insert(shard.rank).second;
    if (shard.rank == rank_) {
      (relayed ? relays_.shards : own_).push_back({t, shard, replicated, fetched, false, same_ids, routes_.size()});
      if (relayed) relayed_ += features;
    }
    if (fetched) fetches_.push_back({t, shard, keys, routes_.size()});
    if (replicated) replicated_ += features;
    for (Index f = 0; f < features; ++f)
      routes_.push_back({t, shard.rank, shard.blocks, features, keys[f], places[f].sequence,
                         places[f].column + shard.columns.begin, shard.columns.size(), fetched, relayed, replicated,
                         same_ids});
  }
  for (const planning::Shard& shard : sharding.shards)
    if (relayed && shard.rank == rank_) own_.push_back({t, shard, false, false, true});
  for (Index f = 0; f < features; ++f) {
    const bool mean = table.pools(f) && table.pooling == embedding::PoolingType::mean;
    Index next = 0;
    for (const planning::Shard& shard : shards) {
      if (shard.columns.begin != next) continue;  // other rows of the same columns
      vectors_.segments.push_back({places[f].sequence, places[f].column + next, shard.columns.size(), mean});
      next = shard.columns.end;
    }
  }
}

void Routes::order_by_owner() {
  const auto place = [this](std::size_t r) {
    const Route& route = routes_[r];
    return std::tuple(route.fetched, route.owner, route.replicated, route.relayed);
  };
  std::vector<std::size_t> order(routes_.size()), position(routes_.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, {}, place);
  std::vector<Route> sorted;
  for (std::size_t i = 0; i < order.size(); ++i) {
    position[order[i]] = i;
    sorted.push_back(routes_[order[i]]);
    if (!sorted.back().fetched) ++first_[sorted.back().owner + 1];
  }
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  routes_ = std::move(sorted);
  for (OwnShard& own : own_) own.first_route = position[own.first_route];
  for (OwnShard& relay : relays_.shards) relay.first_route = position[relay.first_route];
  for (Fetch& fetch : fetches_) fetch.first_route = position[fetch.first_route];
  std::ranges::stable_sort(own_, {}, &OwnShard::replicated);
  std::ranges::stable_sort(fetches_, {}, [](const Fetch& fetch) { return fetch.shard.rank; });
}

void Routes::find_sources() {
  std::map<std::pair<Index, Index>, std::vector<std::size_t>*> routes_of;  // keyed by sequence and column
  for (VectorLayout::Segment& segment : vectors_.segments)
    routes_of[{segment.sequence, segment.column}] = &segment.routes;
  for (std::size_t r = 0; r < routes_.size(); ++r) routes_of.at({routes_[r].sequence, routes_[r].column})->push_back(r);
  for (VectorLayout::Segment& segment : vectors_.segments) {
    std::ranges::sort(segment.routes, {}, [this](std::size_t r) { return routes_[r].blocks.begin; });
    if (segment.routes.size() > 1) segment.owner_of.resize(embedding::block_count);
    for (std::size_t i = 0; i < segment.routes.size() && !segment.owner_of.empty(); ++i) {
      const Range blocks = routes_[segment.routes[i]].blocks;
      std::fill_n(segment.owner_of.begin() + blocks.begin, blocks.size(), std::uint16_t(i));
    }
    for (const std::size_t r : segment.routes) {
      Route& route = routes_[r];
      if (route.owner != rank_ || route.fetched || segment.mean) continue;
      const bool alone = segment.routes.size() == 1;
      route.gradients_in_place = alone || route.sequence < 0;
      route.sums_in_place = alone;
    }
  }
}

Range Routes::sums(int sender, int owner) const {
  assert(sender == rank_ || owner == rank_);
  Index excluded = 0;
  if (owner == rank_ && sender != owner) excluded = replicated_ + (is_partner(sender) ? 0 : relayed_);
  return {first_[owner], first_[owner + 1] - excluded};
}

Index Routes::id_counts(int sender, int owner) const {
  const Range lookups = sums(sender, owner);
  Index counts = 0;
  for (Index r = lookups.begin; r < lookups.end; r += routes_[r].features)
    if (!routes_[r].same_ids) counts += 1 + routes_[r].features;
  return counts;
}

Index Routes::samples(const BatchSplit& split, int sender) const {
  Index count = 0;
  for (int rank = sender; rank < split.ranks(); rank += ranks()) count += split.samples(rank).size();
  return count;
}

}  // namespace tesserec::sharding
