// SPDX-License-Identifier: Apache-2.0
// Stores of growing tables beside the planner's count of their bytes.
#include "catch.hpp"
#include <tesserec/planning/table_costs.hpp>
#include <tesserec/tiers/growing_rows.hpp>

using namespace tesserec;

TEST_CASE("growing_rows: a store has the bytes that the planner counts") {
  const Exec exec;
  for (const embedding::Eviction eviction :
       {embedding::Eviction::lru, embedding::Eviction::lfu, embedding::Eviction::none})
    for (const embedding::UnknownRow unknown : {embedding::UnknownRow::zeros, embedding::UnknownRow::start})
      for (const Index admit_after : {1, 3}) {
        INFO(int(eviction) << ' ' << int(unknown) << ' ' << admit_after);
        embedding::TableShard shard;
        shard.config.name = "t";
        shard.config.num_embeddings = 200000;
        shard.config.embedding_dim = 32;
        shard.config.block_by = embedding::BlockBy::hash;
        shard.config.growth = {admit_after, eviction, 0, unknown};
        shard.columns = {0, 32};
        shard.optimizer.type = optim::Type::rowwise_adagrad;
        const planning::RowStorage counted(shard.config, {}, shard.optimizer, 32768);  // 65536 slots
        for (const Range blocks : {Range{0, 1024}, Range{100, 612}}) {
          shard.blocks = blocks;
          const auto store =
              tiers::growing_rows({.admit_after = admit_after, .eviction = eviction, .unknown = unknown})(exec, shard);
          const double rows = double(shard.config.blocks().rows(blocks).size());
          CHECK(double(store->bytes().host) == Approx(counted.bytes(rows, 32)).epsilon(0.03));
        }
      }
}
