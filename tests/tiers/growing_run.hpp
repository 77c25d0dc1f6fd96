// SPDX-License-Identifier: Apache-2.0
// Runs of growing tables beside the reference.
#pragma once

#include <algorithm>
#include <limits>
#include <memory>
#include <random>

#include "catch.hpp"
#include "growth_reference.hpp"
#include "mixed_ids.hpp"

namespace growing {

using namespace tesserec;
using tiers::GrowingRows;
using tiers::UnknownRow;

inline constexpr Index dim = 12;
inline constexpr double initial_sum = 0.25;

using tesserec::id_of;

inline embedding::TableShard shard_of(Index capacity, Range blocks = {0, 1024}, Range columns = {0, dim}) {
  embedding::TableShard shard;
  shard.config.name = "t";
  shard.config.num_embeddings = capacity;
  shard.config.embedding_dim = dim;
  shard.config.block_by = embedding::BlockBy::hash;
  shard.blocks = blocks;
  shard.columns = columns;
  shard.optimizer.type = optim::Type::adagrad;
  shard.optimizer.initial_accumulator = initial_sum;
  return shard;
}

/// One shard of a table with its store.
struct GrowingShard {
  embedding::TableShard shard;
  std::unique_ptr<GrowingRows> store;

  bool owns(Index id) const { return shard.blocks.contains(embedding::BlockOf::by_hash()(id)); }
  std::vector<Index> own(const std::vector<Index>& ids) const {
    std::vector<Index> result;
    for (const Index id : ids)
      if (owns(id)) result.push_back(id);
    return result;
  }
};

inline GrowingShard make(const Exec& exec, const embedding::TableShard& shard, const tiers::GrowthSettings& settings) {
  auto store = tiers::growing_rows(settings)(exec, shard);
  store->initialize(exec, embedding::StartValues(shard.config, 3, 0));
  return {shard, std::unique_ptr<GrowingRows>(dynamic_cast<GrowingRows*>(store.release()))};
}

/// Ways to run a table that must not change it.
struct Run {
  std::vector<Range> blocks{{0, 1024}};
  std::vector<Range> columns{{0, dim}};
  bool look_ahead = false, evaluates = false, shuffles = false;
};

/// Returns a reference without rows.
inline GrowthReference reference_of(Index rows, const tiers::GrowthSettings& settings) {
  const embedding::TableShard shard = shard_of(rows);
  return {shard.config, initial_sum, settings, embedding::StartValues(shard.config, 3, 0)};
}

/// Makes the shards of a run.
inline std::vector<GrowingShard> shards_of(const Exec& exec, Index rows, const tiers::GrowthSettings& settings,
                                           const Run& run) {
  std::vector<GrowingShard> shards;
  for (const Range blocks : run.blocks)
    for (const Range columns : run.columns) shards.push_back(make(exec, shard_of(rows, blocks, columns), settings));
  return shards;
}

/// Trains one batch without moving rows, and returns the slots after their release.
inline std::vector<Index> train_ids(const Exec& exec, const GrowingShard& at, const std::vector<Index>& ids) {
  const embedding::PinnedRows pinned(*at.store, at.store->pin_to_train(exec, ids));
  return pinned.slots();
}

/// Draws ids of few blocks: some hot, some of a window that moves with the batches, and some of special bits.
inline std::vector<std::vector<Index>> batches_of(int count, Index per_block, unsigned seed) {
  constexpr std::uint64_t blocks[] = {0, 1, 255, 256, 300, 511, 512, 700, 1022, 1023};
  constexpr Index special[] = {0, -1, 1, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min()};
  std::mt19937_64 random{seed};
  std::vector<std::vector<Index>> result(count);
  for (int batch = 0; batch < count; ++batch)
    for (Index i = 0; i < per_block * 10; ++i) {
      const std::uint64_t block = blocks[random() % 10], kind = random() % 16;
      std::uint64_t number = random() % std::uint64_t(per_block);  // hot
      if (kind >= 6) number = std::uint64_t(batch) / 2 + random() % std::uint64_t(3 * per_block);
      // Ids of odd numbers have one tag and one first bucket. Others have random bits.
      const std::uint64_t bits = number % 2 == 1 ? number << 8 | 1 : number * 0x9E3779B97F4A7C15u >> 10;
      result[batch].push_back(kind == 15 ? special[random() % 5] : id_of(block << 54 | bits));
    }
  return result;
}

/// Requires that a slot of each id reads the numbers of the reference.
inline void require_reads(const GrowingShard& at, const std::vector<Index>& ids, const std::vector<Index>& slots,
                          GrowthReference& reference, UnknownRow unknown) {
  REQUIRE(ids.size() == slots.size());
  const Range columns = at.shard.columns;
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const ReferenceRow* const row = reference.find(ids[i]);
    REQUIRE(at.store->has_row(slots[i]) == (row != nullptr));
    if (row != nullptr || unknown == UnknownRow::start) REQUIRE(at.store->row_at(slots[i]) == ids[i]);
    std::vector<float> expected(dim, 0.0f);
    if (row != nullptr)
      expected = row->weights;
    else if (unknown == UnknownRow::start)
      expected = reference.start(ids[i]);
    const float* const weights = at.store->weights().data() + slots[i] * columns.size();
    REQUIRE(std::equal(weights, weights + columns.size(), expected.begin() + columns.begin));
  }
}

/// Adds numbers to weights and sums, each slot once, as a kernel that knows no ids.
inline void move(const GrowingShard& at, std::vector<Index> slots, float by) {
  std::sort(slots.begin(), slots.end());
  slots.erase(std::unique(slots.begin(), slots.end()), slots.end());
  const Range columns = at.shard.columns;
  for (const Index slot : slots)
    for (std::size_t m = 0; m < 2; ++m)
      for (Index c = columns.begin; c < columns.end; ++c)
        at.store->matrices()[m].values.data()[slot * columns.size() + c - columns.begin] += by * float(c + 1);
}

inline void move(GrowthReference& reference, const std::vector<Index>& ids, float by) {
  for (const Index id : std::set<Index>(ids.begin(), ids.end()))
    if (ReferenceRow* const row = reference.find(id); row != nullptr)
      for (Index c = 0; c < dim; ++c) {
        row->weights[c] += by * float(c + 1);
        row->sums[c] += by * float(c + 1);
      }
}

/// Requires the ids, uses and numbers of the reference in a shard.
inline void require_state(const Exec& exec, const GrowingShard& at, const GrowthReference& reference) {
  const tiers::GrowthState state = at.store->state();
  const tiers::Growth growth = at.store->growth();
  std::vector<tiers::IdUse> rows, waiting;
  std::vector<float> numbers[2];
  const Range columns = at.shard.columns;
  for (Index block = at.shard.blocks.begin; block < at.shard.blocks.end; ++block) {
    REQUIRE(growth.blocks[block - at.shard.blocks.begin] == std::ssize(reference.rows(block)));
    for (const auto& [id, row] : reference.rows(block)) {
      rows.push_back(row.use);
      numbers[0].insert(numbers[0].end(), row.weights.begin() + columns.begin, row.weights.begin() + columns.end);
      numbers[1].insert(numbers[1].end(), row.sums.begin() + columns.begin, row.sums.begin() + columns.end);
    }
    for (const auto& [id, use] : reference.waiting(block)) waiting.push_back(use);
  }
  REQUIRE(state.rows == rows);
  REQUIRE(state.waiting == waiting);
  REQUIRE(growth.occupied == std::ssize(rows));
  REQUIRE(growth.waiting == std::ssize(waiting));
  for (std::size_t m = 0; m < 2; ++m) {
    std::vector<float> read(numbers[m].size());
    at.store->read(exec, m, {0, growth.occupied}, read.data());
    REQUIRE(read == numbers[m]);
  }
}

/// Trains shards and the reference from batch `begin` on.
inline void train(const Exec& exec, std::vector<GrowingShard>& shards, GrowthReference& reference, const Run& run,
                  std::span<const std::vector<Index>> batches, UnknownRow unknown) {
  std::mt19937 random{11};
  std::vector<embedding::PinnedRows> ahead(shards.size());
  const auto pin = [&](std::size_t s, std::vector<Index> ids) {
    return embedding::PinnedRows(*shards[s].store, shards[s].store->pin_to_train(exec, ids));
  };
  for (std::size_t batch = 0; batch < batches.size(); ++batch) {
    std::vector<Index> ids = batches[batch];
    if (run.evaluates && batch % 3 == 2 && !run.look_ahead)
      for (const GrowingShard& at : shards) {
        const std::vector<Index> own = at.own(batches[(batch + 5) % batches.size()]);
        const embedding::PinnedRows pinned(exec, *at.store, own);
        pinned.wait();
        require_reads(at, own, pinned.slots(), reference, unknown);
      }
    reference.train(ids);
    for (std::size_t s = 0; s < shards.size(); ++s) {
      const GrowingShard& at = shards[s];
      embedding::PinnedRows now = std::move(ahead[s]);
      const std::vector<Index> own = at.own(ids);
      std::vector<Index> shuffled = own;
      if (run.shuffles) std::shuffle(shuffled.begin(), shuffled.end(), random);
      if (!run.look_ahead || batch == 0) now = pin(s, run.look_ahead ? own : shuffled);
      if (run.look_ahead && batch + 1 < batches.size()) ahead[s] = pin(s, at.own(batches[batch + 1]));
      now.wait();
      require_reads(at, run.look_ahead ? own : shuffled, now.slots(), reference, unknown);
      move(at, now.slots(), float(batch + 1));
      now.set_moved();
    }
    move(reference, ids, float(batch + 1));
  }
  tiers::Growth sum;
  for (const GrowingShard& at : shards) {
    require_state(exec, at, reference);
    const tiers::Growth growth = at.store->growth();
    sum.admitted += growth.admitted;
    sum.refused += growth.refused;
    sum.evicted += growth.evicted;
  }
  const Index copies = std::ssize(run.columns);
  REQUIRE(sum.admitted == copies * reference.admitted);
  REQUIRE(sum.refused == copies * reference.refused);
  REQUIRE(sum.evicted == copies * reference.evicted);
}

}  // namespace growing
