// SPDX-License-Identifier: Apache-2.0
// 10^8 different ids of 64 bits through a growing table of 10^7 rows, beside a table in memory of as many rows.
// Hidden: `test_tiers "[stream]"` prints the times and checks the counts and the ids that are left, in some minutes.
// A row of the table in memory has been inserted by initialize(), whose time is added where the growing table fills.
#include <algorithm>
#include <iostream>
#include <random>
#include <vector>

#include "catch.hpp"
#include "speed_table.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/embedding/block_of.hpp>

using namespace tesserec;
using timed::batch_size;
using timed::SpeedTable;
using timed::StepTimes;

namespace {

constexpr Index stream_rows = 10'000'000, stream_ids = 100'000'000;
constexpr Index stream_batches = (stream_ids + batch_size - 1) / batch_size;

/// Sums of the times of many steps.
struct StreamTimes {
  StepTimes sum;
  Index steps = 0;

  void add(const StepTimes& times) {
    sum.pin += times.pin;
    sum.lookup += times.lookup;
    sum.move += times.move;
    ++steps;
  }
  double look_up() const { return (sum.pin + sum.lookup) / double(steps); }
  double step() const { return look_up() + sum.move / double(steps); }
};

std::vector<Index> stream_batch(Index batch) {
  std::vector<Index> ids(batch_size);
  for (Index i = 0; i < batch_size; ++i) ids[i] = timed::hashed_id(batch * batch_size + i);
  return ids;
}

/// Returns the ids that have a row after all batches, by block, then id: the latest of each block. Of the ids of one
/// batch, the smallest leave first.
std::vector<std::vector<Index>> latest_ids(const embedding::TableShard& shard) {
  std::vector<std::vector<Index>> result(embedding::block_count);
  const auto share = [&](Index block) {
    return (block + 1) * stream_rows / embedding::block_count - block * stream_rows / embedding::block_count;
  };
  for (Index batch = stream_batches - 1; batch >= 0; --batch) {
    std::vector<Index> ids = stream_batch(batch);
    std::ranges::sort(ids, std::greater());
    bool adds = false;
    for (const Index id : ids) {
      const Index block = shard.config.block_of()(id);
      if (std::ssize(result[block]) == share(block)) continue;
      result[block].push_back(id);
      adds = true;
    }
    if (!adds) break;
  }
  for (std::vector<Index>& ids : result) std::ranges::sort(ids);
  return result;
}

void print_ratio(const std::string& name, double fixed, double growing) {
  std::cout << left(name, 31) << " | " << right(significant(fixed, 3), 9) << " | " << right(significant(growing, 3), 7)
            << " | " << right(significant(100 * fixed / growing, 3), 5) << " %\n";
}

}  // namespace

TEST_CASE("growing_rows: a stream of new ids", "[.][stream]") {
  for (const Index dim : {16, 64}) {
    const embedding::TableShard shard = timed::shard_of(stream_rows, dim, embedding::BlockBy::hash);
    SpeedTable growing(shard, tiers::growing_rows({}));
    SpeedTable fixed(timed::shard_of(stream_rows, dim, embedding::BlockBy::rows), embedding::memory_rows);
    std::mt19937_64 random{7};
    std::vector<Index> rows(batch_size);
    StreamTimes filling, full, of_fixed;
    for (Index batch = 0; batch < stream_batches; ++batch) {
      (batch * batch_size < stream_rows ? filling : full).add(growing.step(stream_batch(batch)));
      for (Index& row : rows) row = Index(random() % std::uint64_t(stream_rows));
      of_fixed.add(fixed.step(rows));
    }
    const double initialize = 1e9 * fixed.initialize_seconds() / double(stream_rows);
    std::cout << dim << " columns [ns per id]         | in memory | growing | rate\n";
    print_ratio("fills, insert and look up", initialize + of_fixed.look_up(), filling.look_up());
    print_ratio("fills, insert and train", initialize + of_fixed.step(), filling.step());
    print_ratio("full, evict, insert and look up", of_fixed.look_up(), full.look_up());
    print_ratio("full, evict, insert and train", of_fixed.step(), full.step());

    const auto& store = dynamic_cast<const tiers::GrowingRows&>(growing.store());
    const tiers::Growth growth = store.growth();
    CHECK(growth.admitted == stream_batches * batch_size);
    CHECK(growth.refused == 0);
    CHECK(growth.occupied == stream_rows);
    CHECK(growth.evicted == growth.admitted - growth.occupied);
    const tiers::GrowthState state = store.state();
    auto use = state.rows.begin();
    bool as_expected = std::ssize(state.rows) == stream_rows;
    for (const std::vector<Index>& ids : latest_ids(shard))
      for (const Index id : ids) as_expected = as_expected && (use++)->id == id;
    CHECK(as_expected);
  }
}
