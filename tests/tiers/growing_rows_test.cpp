// SPDX-License-Identifier: Apache-2.0
// Growing tables beside a serial reference: equal rows, counts and numbers after random batches, whatever the shards,
// the order of ids in a batch, the time of pins, and the evaluations between batches.
#include <algorithm>
#include <limits>
#include <random>

#include "catch.hpp"
#include "left_out.hpp"
#include "errors.hpp"
#include "growing_run.hpp"
#include <tesserec/tiers/growing_rows.hpp>

using namespace tesserec;
using growing::dim;
using growing::GrowingShard;
using growing::id_of;
using growing::make;
using growing::reference_of;
using growing::Run;
using growing::shard_of;
using growing::shards_of;
using growing::train_ids;
using tiers::Eviction;
using tiers::GrowthSettings;
using tiers::UnknownRow;

namespace {

constexpr Index capacity = 1024 * 6 + 500;

GrowthReference train_both(Index rows, const GrowthSettings& settings, const Run& run, Index per_block, int count) {
  const Exec exec;
  std::vector<GrowingShard> shards = shards_of(exec, rows, settings, run);
  GrowthReference reference = reference_of(rows, settings);
  growing::train(exec, shards, reference, run, growing::batches_of(count, per_block, 5), settings.unknown);
  return reference;
}

std::vector<GrowthSettings> all_settings() {
  std::vector<GrowthSettings> result;
  for (const Eviction eviction : {Eviction::none, Eviction::lru, Eviction::lfu, Eviction::ttl})
    for (const Index admit_after : {1, 3})
      for (const UnknownRow unknown : {UnknownRow::zeros, UnknownRow::start})
        result.push_back({.admit_after = admit_after, .eviction = eviction, .ttl = 3, .unknown = unknown});
  return result;
}

std::string name_of(const GrowthSettings& settings) {
  return "eviction " + std::to_string(int(settings.eviction)) + ", admit_after " +
         std::to_string(settings.admit_after) + ", unknown " + std::to_string(int(settings.unknown));
}

std::vector<Index> ids_of(const GrowingShard& at) {
  std::vector<Index> result;
  for (const tiers::IdUse& use : at.store->state().rows) result.push_back(use.id);
  return result;
}

}  // namespace

TEST_CASE("growing_rows: a table has the rows, counts and numbers of the reference") {
  for (const GrowthSettings& settings : all_settings()) {
    INFO(name_of(settings));
    const GrowthReference reference = train_both(capacity, settings, {}, 6, 60);
    REQUIRE(reference.admitted > 50);
    if (settings.eviction != Eviction::none) REQUIRE(reference.evicted > 100);
    if (settings.eviction == Eviction::none || settings.eviction == Eviction::ttl) REQUIRE(reference.refused > 0);
    train_both(capacity, settings, {.evaluates = true, .shuffles = true}, 6, 60);
    train_both(capacity, settings, {.look_ahead = true}, 6, 60);
  }
}

TEST_CASE("growing_rows: shards of blocks and of columns decide as the whole table") {
  for (const GrowthSettings& settings : all_settings()) {
    INFO(name_of(settings));
    train_both(capacity, settings, {.blocks = {{0, 300}, {300, 1024}}, .shuffles = true}, 6, 40);
    train_both(capacity, settings, {.blocks = {{0, 1}, {1, 512}, {512, 1024}}, .look_ahead = true}, 6, 40);
    train_both(capacity, settings, {.blocks = {{0, 256}, {256, 512}, {512, 1023}, {1023, 1024}}}, 6, 40);
    train_both(capacity, settings, {.columns = {{0, 4}, {4, dim}}, .look_ahead = true}, 6, 40);
  }
}

TEST_CASE("growing_rows: random settings, capacities and shards") {
  std::mt19937_64 random{123};
  const auto below = [&](Index bound) { return Index(random() % std::uint64_t(bound)); };
  for (int round = 0; round < 60; ++round) {
    const Index per_block = 2 + below(30), rows = 1 + below(1024 * 2 * per_block), cut = 1 + below(1023);
    const GrowthSettings settings{.admit_after = 1 + below(4),
                                  .eviction = Eviction(below(4)),
                                  .ttl = 1 + below(6),
                                  .unknown = UnknownRow(below(2)),
                                  .waiting = 0.4 * double(below(4))};
    Run run{.look_ahead = below(2) == 0, .evaluates = below(2) == 0, .shuffles = below(2) == 0};
    if (below(2) == 0) run.blocks = {{0, cut}, {cut, 1024}};
    if (below(3) == 0) run.columns = {{0, 8}, {8, dim}};
    INFO("round " << round << ", " << rows << " rows, " << name_of(settings));
    train_both(rows, settings, run, per_block, int(20 + below(60)));
  }
}

TEST_CASE("growing_rows: large blocks, with ids that share a bucket and a tag") {
  Index turn = 0;
  for (const GrowthSettings& settings : all_settings()) {
    if (left_out(turn++, 3)) continue;
    INFO(name_of(settings));
    train_both(1024 * 70 + 3, settings, {.look_ahead = true, .shuffles = true}, 80, 60);
    train_both(1024 * 400 + 3, settings, {}, 450, 15);
  }
}

TEST_CASE("growing_rows: a list of waiting ids that is too short drops the least") {
  for (const double waiting : {0.0, 0.3}) {
    const GrowthSettings settings{.admit_after = 3, .eviction = Eviction::lfu, .waiting = waiting};
    const GrowthReference full = train_both(capacity, settings, {}, 6, 150);
    REQUIRE(full.admitted < train_both(capacity, {.admit_after = 3, .eviction = Eviction::lfu}, {}, 6, 150).admitted);
  }
}

TEST_CASE("growing_rows: ids have all 64 bits") {
  const Exec exec;
  for (const Index id : {Index{0}, Index{-1}, Index{12345}}) REQUIRE(id_of(embedding::BlockOf::mixed(id)) == id);
  const GrowingShard at = make(exec, shard_of(capacity), {});
  const std::vector<Index> ids{0, -1, std::numeric_limits<Index>::max(), std::numeric_limits<Index>::min(), -1, 0};
  const embedding::PinnedRows pinned(*at.store, at.store->pin_to_train(exec, ids));
  const GrowthReference reference = reference_of(capacity, {});
  for (std::size_t i = 0; i < ids.size(); ++i) {
    const float* const row = at.store->weights().data() + pinned.slots()[i] * dim;
    REQUIRE(at.store->row_at(pinned.slots()[i]) == ids[i]);
    REQUIRE(std::vector<float>(row, row + dim) == reference.start(ids[i]));
  }
  REQUIRE(pinned.slots()[1] == pinned.slots()[4]);
  std::vector<float> start(dim);  // rows of a table of consecutive ids
  embedding::StartValues(at.shard.config, 3, 0)({-1, 0}, {0, dim}, start.data());
  REQUIRE(start == reference.start(-1));
}

TEST_CASE("growing_rows: a table goes on from its state, also with more rows") {
  const Exec exec;
  for (const GrowthSettings& settings : all_settings())
    for (const Index rows : {capacity, capacity + 2500}) {
      INFO(name_of(settings) << ", " << rows << " rows");
      const std::vector<std::vector<Index>> batches = growing::batches_of(60, 6, 9);
      GrowthReference reference = reference_of(capacity, settings);
      std::vector<GrowingShard> before = shards_of(exec, capacity, settings, {});
      growing::train(exec, before, reference, {}, std::span(batches).first(30), settings.unknown);
      const tiers::GrowthState state = before[0].store->state();
      const Index occupied = std::ssize(state.rows);

      const Run run{.blocks = {{0, 256}, {256, 1024}}, .look_ahead = true};
      std::vector<GrowingShard> after = shards_of(exec, rows, settings, run);
      Index first = 0;
      for (const GrowingShard& at : after) {
        const auto own = [&](const std::vector<tiers::IdUse>& uses) {
          std::vector<tiers::IdUse> result;
          std::ranges::copy_if(uses, std::back_inserter(result), [&](const auto& use) { return at.owns(use.id); });
          return result;
        };
        at.store->restore({state.batch, own(state.rows), own(state.waiting)});
        const Index count = at.store->growth().occupied;
        for (std::size_t m = 0; m < 2; ++m) {
          std::vector<float> numbers(count * dim);
          before[0].store->read(exec, m, {first, first + count}, numbers.data());
          at.store->write(exec, m, {0, count}, numbers.data());
        }
        first += count;
      }
      REQUIRE(first == occupied);
      reference.grow(rows);
      growing::train(exec, after, reference, run, std::span(batches).subspan(30), settings.unknown);
    }
}

TEST_CASE("growing_rows: rows of the latest batches stay") {
  const Exec exec;
  for (const Eviction eviction : {Eviction::lru, Eviction::lfu})
    for (const Index kept_batches : {1, 2, 3}) {
      // One row per block.
      const GrowingShard at = make(exec, shard_of(1024), {.eviction = eviction, .kept_batches = kept_batches});
      const Index a = id_of(5), b = id_of(6);
      train_ids(exec, at, {a});
      for (Index batch = 1; batch < kept_batches; ++batch) {
        REQUIRE(!at.store->has_row(train_ids(exec, at, {b})[0]));
        REQUIRE(ids_of(at) == std::vector<Index>{a});
      }
      train_ids(exec, at, {b, b});
      REQUIRE(ids_of(at) == std::vector<Index>{b});
      const tiers::Growth growth = at.store->growth();
      REQUIRE(growth.capacity == 1024);
      REQUIRE(growth.admitted == 2);
      REQUIRE(growth.refused == kept_batches - 1);
      REQUIRE(growth.evicted == 1);
      REQUIRE(growth.blocks[0] == 1);
    }
}

TEST_CASE("growing_rows: the lists of ids to leave have no more bytes than a new store counts") {
  const Exec exec;
  for (const Eviction eviction : {Eviction::lru, Eviction::lfu}) {
    INFO(int(eviction));
    const GrowingShard at = make(exec, shard_of(1024 * 4000, {0, 4}), {.eviction = eviction});
    const Index promised = at.store->bytes().host;
    std::mt19937_64 random{17};
    const auto id = [](Index number) { return id_of(std::uint64_t(number % 4) << 54 | std::uint64_t(number)); };
    for (Index batch = 0; batch < 60; ++batch) {
      std::vector<Index> ids;
      for (Index i = 0; i < 4000; ++i) ids.push_back(id(Index(random() % 16000)));
      for (Index i = 0; i < 100; ++i) ids.push_back(id(16000 + 100 * batch + i));
      train_ids(exec, at, ids);
    }
    REQUIRE(at.store->growth().evicted > 1000);
    CHECK(at.store->bytes().host == promised);
  }
}

TEST_CASE("growing_rows: batches without ids count for ttl") {
  const Exec exec;
  const GrowingShard at = make(exec, shard_of(capacity), {.eviction = Eviction::ttl, .ttl = 2});
  train_ids(exec, at, {7});
  train_ids(exec, at, {});
  train_ids(exec, at, {});
  REQUIRE(at.store->has_row(embedding::PinnedRows(exec, *at.store, std::vector<Index>{7}).slots()[0]));  // no use
  train_ids(exec, at, {});
  REQUIRE(ids_of(at).empty());
  REQUIRE(at.store->growth().evicted == 1);
}

TEST_CASE("growing_rows: errors name the table and a remedy") {
  const Exec exec;
  const auto error = [&](const embedding::TableShard& shard, const GrowthSettings& settings) {
    return error_of([&] { make(exec, shard, settings); });
  };
  embedding::TableShard by_rows = shard_of(capacity);
  by_rows.config.block_by = embedding::BlockBy::rows;
  REQUIRE(mentions(error(by_rows, {}), "table t: rows that appear while training need blocks by hash"));
  embedding::TableShard of_16_bits = shard_of(capacity);
  of_16_bits.config.format = NumberType::bf16;
  REQUIRE(mentions(error(of_16_bits, {}), "table t has format \"bf16\"; rows that appear while training have"));
  embedding::TableShard on_device = shard_of(capacity);
  on_device.place = Place::device;
  REQUIRE(mentions(error(on_device, {}), "table t: rows that appear while training lie in host memory"));
  REQUIRE(mentions(error(shard_of(capacity), {.admit_after = 0}), "table t: admit_after is 0; set at least 1"));
  REQUIRE(mentions(error(shard_of(capacity), {.kept_batches = 0}), "table t: kept_batches is 0"));
  REQUIRE(mentions(error(shard_of(capacity), {.eviction = Eviction::ttl, .ttl = 1, .kept_batches = 3}),
                   "table t: ttl is 1; set at least 2, because"));

  const GrowingShard few =
      make(exec, shard_of(capacity), {.admit_after = 2, .unknown = UnknownRow::start, .unknown_slots = 4});
  REQUIRE(mentions(error_of([&] { train_ids(exec, few, {1, 2, 3, 4, 5}); }), "more than 4 ids without a row"));
  train_ids(exec, few, {6, 7, 8, 9});  // the error has released its slots

  const GrowingShard at = make(exec, shard_of(1024), {});
  const embedding::PinnedRows pinned(*at.store, at.store->pin_to_train(exec, std::vector<Index>{id_of(5)}));
  train_ids(exec, at, {});
  REQUIRE(mentions(error_of([&] { train_ids(exec, at, {}); }), "table t: more than 2 training batches are in flight"));

  const GrowingShard half = make(exec, shard_of(1024, {0, 512}), {});
  const auto restore = [&](std::vector<tiers::IdUse> rows) {
    return error_of([&] { half.store->restore({1, std::move(rows), {}}); });
  };
  const auto use = [](std::uint64_t bits) { return tiers::IdUse{id_of(bits), 1, 1}; };
  REQUIRE(mentions(restore({use(std::uint64_t{600} << 54)}), "is not of the shard's blocks"));
  REQUIRE(mentions(restore({use(std::uint64_t{2} << 54), use(std::uint64_t{1} << 54)}), "out of order"));
  std::vector<tiers::IdUse> two{use(5), use(6)};
  std::ranges::sort(two, {}, &tiers::IdUse::id);
  REQUIRE(mentions(restore(two), "more ids than the 1 rows that it has now; set table.t.rows higher"));
}
