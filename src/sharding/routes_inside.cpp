// SPDX-License-Identifier: Apache-2.0
// Two levels: what a rank asks of relays, and relays of the owners on their node.
#include <algorithm>

#include <tesserec/sharding/routes.hpp>

namespace tesserec::sharding {

/// Neighbouring columns on one node are one shard there, of this rank's partner.
std::vector<planning::Shard> Routes::on_relays(const std::vector<planning::Shard>& shards) const {
  std::vector<planning::Shard> relayed;
  for (const planning::Shard& shard : shards) {
    const int relay = shard.rank / node_ * node_ + rank_ % node_;
    if (relayed.empty() || relayed.back().rank != relay) relayed.push_back({relay, {}, shard.columns});
    relayed.back().blocks = {0, embedding::block_count};
    relayed.back().columns.end = shard.columns.end;
  }
  return relayed;
}

void Routes::look_inside(const planning::ShardingPlan& plan) {
  std::vector<embedding::EmbeddingBagConfig> tables;
  planning::ShardingPlan here;
  std::vector<std::string> features;
  relayed_inside_.clear();
  for (const OwnShard& relay : relays_) {
    const std::size_t t = relay.table;
    if (relayed_inside_.empty() || relays_[relayed_inside_.size() - 1].table != t) {
      embedding::EmbeddingBagConfig& table =
          tables.emplace_back(tables_[t]);  // of rows, not ids; means are the samples'
      table.half = {};
      table.pooling = embedding::PoolingType::sum;
      table.embedding_dim = 0;
      table.unpooled.clear();
      for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
        table.feature_names[f] = table.name + "/" + tables_[t].feature_names[f];  // a feature may be of several tables
        if (!tables_[t].pools(f)) table.unpooled.push_back(table.feature_names[f]);
        features.push_back(table.feature_names[f]);
      }
      here.emplace_back(plan[t]).shards.clear();
    }
    const Index column = tables.back().embedding_dim, left_out = relay.shard.columns.begin - column;
    relayed_inside_.push_back({tables.size() - 1, column});
    tables.back().embedding_dim += relay.shard.columns.size();
    for (planning::Shard shard : plan[t].shards) {
      if (!node().contains(shard.rank) || !relay.shard.columns.contains(shard.columns.begin)) continue;
      shard.rank %= node_;
      shard.columns = {shard.columns.begin - left_out, shard.columns.end - left_out};
      here.back().shards.push_back(shard);
    }
  }
  inside_ = std::make_unique<const Routes>(rank_ % node_, node_, std::move(tables), here, features, Levels{node_, 1});
}

Index Routes::with_ids(int sender, int owner) const {
  const Range asked = sums(sender, owner);
  return std::count_if(routes_.begin() + asked.begin, routes_.begin() + asked.end,
                       [](const Route& route) { return !route.same_ids; });
}

Index Routes::samples(const BatchSplit& split, int sender) const {
  Index count = 0;
  for (int rank = sender; rank < split.ranks(); rank += ranks()) count += split.samples(rank).size();
  return count;
}

}  // namespace tesserec::sharding
