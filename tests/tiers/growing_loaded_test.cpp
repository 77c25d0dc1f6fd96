// SPDX-License-Identifier: Apache-2.0
// Rows that a growing table begins with: those of a checkpoint that has no uses, and start values.
#include <algorithm>

#include "catch.hpp"
#include "growing_run.hpp"

using namespace tesserec;
using growing::GrowingShard;
using growing::id_of;
using tiers::Eviction;

TEST_CASE("growing_rows: rows of a checkpoint without their uses leave before others, the smallest id first") {
  const Exec exec;
  for (const Eviction eviction : {Eviction::lru, Eviction::lfu, Eviction::ttl})
    for (const Index per_block : {40, 100, 400}) {
      INFO(int(eviction) << ", " << per_block << " rows in a block");
      const tiers::GrowthSettings settings{.eviction = eviction, .ttl = 5};
      std::vector<tiers::IdUse> rows;
      for (const std::uint64_t block : {0, 1, 255, 256, 300, 511, 512, 700, 1022, 1023}) {
        const std::size_t begin = rows.size();
        for (Index i = 0; i < per_block; ++i)
          rows.push_back({id_of(block << 54 | std::uint64_t(i) * 0x9E3779B97F4A7C15u >> 10), 0, 1});
        std::ranges::sort(rows.begin() + begin, rows.end(), {}, &tiers::IdUse::id);
      }
      std::vector<GrowingShard> shards = growing::shards_of(exec, 1024 * per_block, settings, {});
      GrowthReference reference = growing::reference_of(1024 * per_block, settings);
      shards[0].store->restore({0, rows, {}});
      reference.restore(rows);
      growing::require_state(exec, shards[0], reference);
      growing::train(exec, shards, reference, {}, growing::batches_of(12, per_block / 2, 5), settings.unknown);
      REQUIRE(reference.evicted > 100);
    }
}

TEST_CASE("growing_rows: start values of rows that are drawn in several pieces") {
  const Exec exec;
  for (const Index width : {20, 40, 132, 260})
    for (const Range columns : {Range{0, width}, Range{8, width}, Range{0, width - 3}}) {
      INFO(width << " columns, " << columns.begin << " to " << columns.end);
      embedding::TableShard shard = growing::shard_of(1024 * 100, {0, 1024}, columns);
      shard.config.embedding_dim = width;
      const GrowingShard at = growing::make(exec, shard, {});
      std::vector<Index> ids;
      for (std::uint64_t i = 0; i < 300; ++i) ids.push_back(id_of((i % 3) << 54 | i));
      const std::vector<Index> slots = growing::train_ids(exec, at, ids);
      const embedding::StartValues start(shard.config, 3, 0);
      std::vector<float> expected(columns.size());
      for (std::size_t i = 0; i < ids.size(); ++i) {
        start({ids[i], ids[i] + 1}, columns, expected.data());
        const float* const row = at.store->weights().data() + slots[i] * columns.size();
        REQUIRE(std::vector<float>(row, row + columns.size()) == expected);
      }
    }
}
