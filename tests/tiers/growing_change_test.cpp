// SPDX-License-Identifier: Apache-2.0
// Changes of a growing table since a mark: what another table of the same state becomes by them.
#include "catch.hpp"
#include "errors.hpp"
#include "growing_run.hpp"
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
      follows.store->mark();
      follows.store->apply(change);
      const tiers::GrowthState now = trained.store->state(), made = follows.store->state();
      REQUIRE(made.rows == now.rows);
      REQUIRE(made.waiting == now.waiting);
      REQUIRE(made.batch == now.batch);
      CHECK(follows.store->changes().rows == change.rows);
      CHECK(follows.store->changes().places == change.places);
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
