// SPDX-License-Identifier: Apache-2.0
// Changes of a growing table since a mark: what another table of the same state becomes by them.
#include <algorithm>
#include <span>

#include "catch.hpp"
#include "errors.hpp"
#include "growing_run.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/tiers/growing_rows.hpp>

using namespace tesserec;
using growing::GrowingShard;
using tiers::Eviction;
using tiers::GrowthSettings;

namespace {

constexpr Index changed_capacity = 1024 * 6 + 500;

std::vector<GrowthSettings> changing_settings() {
  std::vector<GrowthSettings> result;
  for (const Eviction eviction : {Eviction::none, Eviction::lru, Eviction::lfu, Eviction::ttl})
    for (const Index admit_after : {1, 3})
      result.push_back({.admit_after = admit_after, .eviction = eviction, .ttl = 3});
  return result;
}

}  // namespace

TEST_CASE("growing_rows: changes since a mark make another table the same, and their places are those of its rows") {
  const Exec exec;
  for (const GrowthSettings& settings : changing_settings()) {
    INFO("eviction " << int(settings.eviction) << ", admit_after " << settings.admit_after);
    const auto batches = growing::batches_of(30, 6, 5);
    const GrowingShard trained = growing::make(exec, growing::shard_of(changed_capacity), settings),
                       follows = growing::make(exec, growing::shard_of(changed_capacity), settings);
    trained.store->mark();
    Index left = 0, forgotten = 0;
    for (std::size_t b = 0; b < batches.size(); ++b) {
      {
        const embedding::PinnedRows pinned(*trained.store, trained.store->pin_to_train(exec, batches[b]));
        growing::move(trained, pinned.slots(), float(b + 1));
      }
      if (b % 3 != 2) continue;  // some batches between two states
      const tiers::GrowthChange change = trained.store->changes();
      trained.store->mark();
      CHECK(trained.store->changes().rows.empty());
      left += std::ssize(change.evicted);
      forgotten += std::ssize(change.not_waiting);
      CHECK(follows.store->apply(change) == change.places);
      const tiers::GrowthState now = trained.store->state(), made = follows.store->state();
      REQUIRE(made.rows == now.rows);
      REQUIRE(made.waiting == now.waiting);
      REQUIRE(made.batch == now.batch);
      for (std::size_t m = 0; m < 2; ++m) {
        const Index columns = trained.store->matrices()[m].values.columns();
        std::vector<float> numbers(columns);
        for (const Index place : change.places) {
          trained.store->read(exec, m, {place, place + 1}, numbers.data());
          follows.store->write(exec, m, {place, place + 1}, numbers.data());
        }
        std::vector<float> all(now.rows.size() * columns), copy(all.size());
        trained.store->read(exec, m, {0, std::ssize(now.rows)}, all.data());
        follows.store->read(exec, m, {0, std::ssize(now.rows)}, copy.data());
        REQUIRE(copy == all);
      }
    }
    if (settings.eviction != Eviction::none) CHECK(left > 0);
    if (settings.admit_after > 1) CHECK(forgotten > 0);
    tiers::GrowthChange wrong;
    wrong.evicted = {growing::id_of(123)};
    CHECK(mentions(error_of([&] { follows.store->apply(wrong); }), "has left, but has no row here"));
  }
}

TEST_CASE("growing_rows: changes that list an id twice, or an id of another shard, are refused") {
  const Exec exec;
  const GrowingShard low = growing::make(exec, growing::shard_of(changed_capacity, {0, 512}), {.admit_after = 2});
  const Index own = growing::id_of(std::uint64_t{3} << 54), other = growing::id_of(std::uint64_t{700} << 54);
  REQUIRE(low.owns(own));
  REQUIRE(!low.owns(other));
  const std::vector<std::vector<Index>> lists = {{own, own}, {other}};
  for (const std::vector<Index>& ids : lists) {
    std::vector<tiers::IdUse> uses;
    for (const Index id : ids) uses.push_back({id, 1, 1});
    for (const tiers::GrowthChange& change :
         {tiers::GrowthChange{.rows = uses}, tiers::GrowthChange{.evicted = ids}, tiers::GrowthChange{.waiting = uses},
          tiers::GrowthChange{.not_waiting = ids}})
      CHECK(mentions(error_of([&] { low.store->apply(change); }),
                     concat("table t: id ", ids.back(), " is not of the shard's blocks, or out of order")));
  }
  CHECK(low.store->state().rows.empty());
  CHECK(low.store->state().waiting.empty());
}

TEST_CASE("StartValues: one row has the numbers of that row in all rows, also of more columns than one draw takes") {
  embedding::EmbeddingBagConfig table = growing::shard_of(changed_capacity).config;
  table.embedding_dim = 300;
  for (const embedding::RowStart start : {embedding::RowStart::uniform, embedding::RowStart::one}) {
    table.start = start;
    const embedding::StartValues values(table, 3, 1);
    for (const Range columns : {Range{0, 300}, Range{132, 300}, Range{128, 261}, Range{4, 5}}) {
      std::vector<float> all(9 * std::size_t(columns.size())), row(std::size_t(columns.size()));
      values({0, 9}, columns, all.data());
      const DrawnRow drawn{7, row.data()};
      values.rows({&drawn, 1}, columns);
      CHECK(std::ranges::equal(row, std::span(all).subspan(7 * row.size(), row.size())));
    }
  }
}
