// SPDX-License-Identifier: Apache-2.0
#include "routes_inside.hpp"

#include <algorithm>

namespace tesserec::sharding {

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

void look_inside(Routes::Relays& relays, const Routes& routes, const planning::ShardingPlan& plan) {
  const int node = int(routes.node().size());
  std::vector<embedding::EmbeddingBagConfig> tables;
  planning::ShardingPlan here;
  std::vector<std::string> features;
  for (const Routes::OwnShard& relay : relays.shards) {
    const std::size_t t = relay.table;
    if (relays.inside.empty() || relays.shards[relays.inside.size() - 1].table != t) {
      embedding::EmbeddingBagConfig& table =
          tables.emplace_back(routes.tables()[t]);  // of rows, not ids; means are the samples'
      table.half = {};
      table.pooling = embedding::PoolingType::sum;
      table.embedding_dim = 0;
      table.unpooled.clear();
      for (std::size_t f = 0; f < table.feature_names.size(); ++f) {
        table.feature_names[f] =
            table.name + "/" + routes.tables()[t].feature_names[f];  // a feature may be of several tables
        if (!routes.tables()[t].pools(f)) table.unpooled.push_back(table.feature_names[f]);
        features.push_back(table.feature_names[f]);
      }
      here.emplace_back(plan[t]).shards.clear();
    }
    const Index column = tables.back().embedding_dim, left_out = relay.shard.columns.begin - column;
    relays.inside.push_back({tables.size() - 1, column});
    tables.back().embedding_dim += relay.shard.columns.size();
    for (planning::Shard shard : plan[t].shards) {
      if (!routes.node().contains(shard.rank) || !relay.shard.columns.contains(shard.columns.begin)) continue;
      shard.rank %= node;
      shard.columns = {shard.columns.begin - left_out, shard.columns.end - left_out};
      here.back().shards.push_back(shard);
    }
  }
  relays.routes =
      std::make_unique<const Routes>(routes.rank() % node, node, std::move(tables), here, features, Levels{node, 1});
}

}  // namespace tesserec::sharding
