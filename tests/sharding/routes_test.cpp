// SPDX-License-Identifier: Apache-2.0
// Routes of a plan for a thousand ranks.
#include "catch.hpp"
#include <tesserec/sharding/routes.hpp>

using namespace tesserec;
using namespace tesserec::sharding;

TEST_CASE("Routes: 1000 row-wise tables on 1024 ranks have one route an owner in row order") {
  constexpr int ranks = 1024, own_rank = 5;
  constexpr Index tables = 1000, dim = 8;
  std::vector<int> owners(ranks);
  for (int r = 0; r < ranks; ++r) owners[r] = r;
  std::vector<embedding::EmbeddingBagConfig> configs(tables);
  std::vector<std::string> features;
  planning::ShardingPlan plan(tables);
  for (Index t = 0; t < tables; ++t) {
    features.push_back("f" + std::to_string(t));
    configs[t].name = "t" + std::to_string(t);
    configs[t].num_embeddings = 100000, configs[t].embedding_dim = dim;
    configs[t].feature_names = {features.back()};
    plan[t].type = planning::ShardingType::row_wise;
    plan[t].shards = planning::cut(configs[t], ranks, 1, owners);
  }
  const Routes routes(own_rank, ranks, configs, plan, features);
  REQUIRE(routes.all().size() == std::size_t(ranks * tables));
  REQUIRE(routes.vectors().segments.size() == std::size_t(tables));
  CHECK(routes.own().size() == std::size_t(tables));
  for (Index t = 0; t < tables; ++t) {
    const VectorLayout::Segment& segment = routes.vectors().segments[t];
    REQUIRE(segment.routes.size() == std::size_t(ranks));
    Index next = 0;
    bool right = true;
    for (int r = 0; r < ranks; ++r) {
      const Route& route = routes.all()[segment.routes[r]];
      right = right && route.table == std::size_t(t) && route.owner == r && route.blocks.begin == next &&
              route.column == t * dim;
      next = route.blocks.end;
    }
    REQUIRE(right);
    REQUIRE(next == embedding::block_count);
  }
}
