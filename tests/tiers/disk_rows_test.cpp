// SPDX-License-Identifier: Apache-2.0
// Stores with rows on disk beside one with all rows in memory: equal rows after random batches, whatever the size of
// the cache, the engine, and the time of the reads.
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <numeric>
#include <random>

#include <unistd.h>

#include "cached_run.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include "file_limit.hpp"
#include "src/tiers/pending_reads.hpp"
#include <tesserec/tiers/disk_rows.hpp>

using namespace tesserec;
using cached::move;
using cached::require_equal;
using cached::shard_of;

namespace {

const std::string folder = std::filesystem::temp_directory_path();

/// Trains a store on disk and one in memory.
void train_both(const embedding::TableShard& shard, const tiers::DiskSettings& settings, int batches) {
  cached::train_both(shard, tiers::disk_rows(settings), batches);
}

}  // namespace

TEST_CASE("disk_rows: a store on disk has the rows of one in memory") {
  for (const bool lazy : {false, true})
    for (const bool threads : {false, true})
      for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad, optim::Type::adam}) {
        INFO("lazy " << lazy << ", threads " << threads << ", " << int(type));
        train_both(shard_of(3000, 20, {4, 16}, type), {folder, 0.1, 1, lazy, threads}, 120);
      }
}

TEST_CASE("disk_rows: weights of 16 bits have the rows of a store in memory") {
  for (const NumberType format : {NumberType::fp16, NumberType::bf16})
    for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad}) {
      INFO(name(format) << ' ' << int(type));
      embedding::TableShard shard = shard_of(3000, 20, {4, 16}, type);
      shard.config.format = format;
      train_both(shard, {folder, 0.1, 1}, 120);
    }
}

TEST_CASE("disk_rows: rows that fill several segments are cleaned, rows larger than a page are read whole") {
  train_both(shard_of(24000, 256, {0, 256}, optim::Type::sgd), {folder, 0.2, 1}, 240);
  train_both(shard_of(3000, 1500, {0, 1500}, optim::Type::adagrad), {folder, 0.2, 1}, 240);
}

TEST_CASE("disk_rows: write() replaces rows, resident or not") {
  const Exec exec;
  const embedding::TableShard shard = shard_of(2000, 8, {0, 8}, optim::Type::adagrad);
  const auto store = tiers::disk_rows({folder, 0.05, 1})(exec, shard);
  store->initialize(exec, embedding::StartValues(shard.config, 3, 0));
  cached::require_written(exec, *store);
}

TEST_CASE("cache_slots: a share or bytes, at least some rows and at most all") {
  const embedding::TableShard shard = shard_of(3000, 8, {0, 4}, optim::Type::sgd);
  const auto rows = [&](double cache, const std::map<std::string, double>& own, Index least) {
    const tiers::CacheSlots found = tiers::cache_slots(shard, cache, own, least);
    return std::pair(found.asked, found.slots);
  };
  CHECK(rows(0.1, {}, 1) == std::pair(Index{300}, Index{300}));
  CHECK(rows(0.1, {}, 1024) == std::pair(Index{300}, Index{1024}));
  CHECK(rows(0.5, {}, 1024) == std::pair(Index{1500}, Index{1500}));
  CHECK(rows(0.1, {}, 4000) == std::pair(Index{300}, Index{3000}));
  CHECK(rows(0.1, {{"t", 0.2}, {"u", 0.3}}, 1) == std::pair(Index{600}, Index{600}));
  CHECK(rows(3200, {}, 1) == std::pair(Index{100}, Index{100}));  // half of the bytes, in rows of 16 bytes
  CHECK(rows(1e9, {}, 1) == std::pair(Index{3000}, Index{3000}));
}

TEST_CASE("disk_rows: a cache smaller than a batch, a folder without space or without the right") {
  const Exec exec;
  const embedding::TableShard shard = shard_of(2000, 8, {0, 8}, optim::Type::sgd);
  const auto store = tiers::disk_rows({folder, 0.01, 1})(exec, shard);
  store->initialize(exec, embedding::StartValues(shard.config, 3, 0));
  std::vector<Index> list(25);
  for (Index i = 0; i < 25; ++i) list[std::size_t(i)] = i;
  const std::string full = error_of([&] { store->pin(exec, list); });
  REQUIRE(mentions(full, "table t"));
  REQUIRE(mentions(full, "cache of 20 rows"));
  REQUIRE(mentions(full, "25 rows"));
  const auto make = [&](const std::string& where, Index rows) {
    return error_of([&] {
      tiers::disk_rows({where, 1e6, 1})(exec, shard_of(rows, 4096, {0, 4096}, optim::Type::sgd));
    });
  };
  const std::string large = make(folder, Index{1} << 27);
  INFO(large);
  REQUIRE(mentions(large, folder + " has"));
  REQUIRE(mentions(large, "table t need"));
  const std::filesystem::path missing = folder + "/tesserec_" + std::to_string(getpid()) + "/rows";
  const std::string parent = missing.parent_path();
  REQUIRE(mentions(make(missing, 2000), "rows: its parent folder " + parent + " does not exist"));
  REQUIRE(!std::filesystem::exists(parent));
  REQUIRE(make(parent + "/", 2000) == "");
  REQUIRE(make(missing, 2000) == "");
  REQUIRE(make(missing, 2000) == "");
  REQUIRE(std::filesystem::remove(missing));
  std::filesystem::remove(parent);
  REQUIRE(mentions(make("/dev/null/x", 2000), "/dev/null/x: cannot make this folder for the rows of table t: Not a"));
}

TEST_CASE("disk_rows: a batch that does not fit into the cache leaves no read behind") {
  const Exec exec;
  const embedding::TableShard shard = shard_of(2000, 1500, {0, 1500}, optim::Type::sgd);
  for (const bool lazy : {false, true}) {
    tiers::DiskSettings settings{folder, 0.01, 1};
    settings.lazy = lazy;
    const auto store = tiers::disk_rows(settings)(exec, shard);  // 20 slots
    store->initialize(exec, embedding::StartValues(shard.config, 3, 0));
    std::vector<Index> list(10);
    for (Index row = 0; row < 2000; ++row) {
      list[std::size_t(row % 10)] = row;
      if (row % 10 < 9) continue;
      embedding::PinnedRows pinned(exec, *store, list);
      pinned.wait();
      pinned.set_moved();
    }
    list.clear();
    for (Index row = 0; row < 25; ++row) list.push_back(row);  // their records are in the file
    REQUIRE(mentions(error_of([&] { store->pin(exec, list); }), "25 rows"));
    list.resize(20);
    const embedding::PinnedRows all(exec, *store, list);  // the error has released its rows
    all.wait();
    REQUIRE(all.slots().size() == 20);
  }
}

TEST_CASE("disk_rows: a row that leaves while it is being read overwrites no other row") {
  const Exec exec;
  const embedding::TableShard shard = shard_of(24000, 256, {0, 256}, optim::Type::sgd);
  constexpr Index slots = 1000;
  const auto store = tiers::disk_rows({folder, double(slots) / 24000, 1, false, true})(exec, shard);
  const auto memory = embedding::memory_rows(exec, shard);
  const embedding::StartValues start(shard.config, 3, 0);
  store->initialize(exec, start);
  memory->initialize(exec, start);
  const auto rows_from = [](Index first) {
    std::vector<Index> rows(slots);
    for (Index i = 0; i < slots; ++i) rows[i] = first + i;
    return rows;
  };
  for (Index first = 0; first < 12000; first += slots) {  // moved rows go to the file
    embedding::PinnedRows moved(exec, *store, rows_from(first));
    moved.wait();
    move(exec, *store, moved.slots(), 1.0f);
    moved.set_moved();
  }
  for (Index round = 0; round < 10; ++round) {
    { const embedding::PinnedRows dropped(exec, *store, rows_from(round * slots)); }  // its reads are in flight
    const std::vector<Index> untouched = rows_from(12000 + round * slots);
    const embedding::PinnedRows pinned(exec, *store, untouched);
    pinned.wait();
    for (Index i = 0; i < slots; i += 37)
      REQUIRE(std::equal(memory->weights().data() + untouched[i] * 256,
                         memory->weights().data() + (untouched[i] + 1) * 256,
                         store->weights().data() + pinned.slots()[i] * 256));
  }
}

TEST_CASE("disk_rows: batches of several segments move rows while their own reads wait") {
  const Exec exec;
  const embedding::TableShard shard = shard_of(24000, 256, {0, 256}, optim::Type::sgd);
  const auto store = tiers::disk_rows({folder, 0.25, 1})(exec, shard);
  const auto memory = embedding::memory_rows(exec, shard);
  const embedding::StartValues start(shard.config, 3, 0);
  store->initialize(exec, start);
  memory->initialize(exec, start);
  std::vector<Index> rows(24000);
  std::iota(rows.begin(), rows.end(), Index{0});
  std::mt19937 random{7};
  for (int batch = 0; batch < 24; ++batch) {
    std::shuffle(rows.begin(), rows.end(), random);
    const std::vector<Index> list(rows.begin(), rows.begin() + 6000);  // six segments of 1 MiB leave the cache
    embedding::PinnedRows pinned(exec, *store, list);
    pinned.wait();
    move(exec, *store, pinned.slots(), float(batch));
    move(exec, *memory, list, float(batch));
    pinned.set_moved();
  }
  require_equal(exec, *store, *memory, shard.rows());
}

TEST_CASE("disk_rows: a wait for a batch's reads includes earlier batches, not later ones") {
  using namespace std::chrono_literals;
  tiers::PendingReads reads;
  reads.begin(0, 2);
  reads.begin(1, 1);
  reads.begin(1, 0);
  reads.end(1, 0);
  reads.begin(2, 1);
  auto first = std::async(std::launch::async, [&] { return reads.wait(1); });
  reads.end(0, 0);
  REQUIRE(first.wait_for(20ms) == std::future_status::timeout);
  reads.end(0, ENOSPC);
  const bool waits_for_later = first.wait_for(10s) == std::future_status::timeout;
  reads.end(2, EIO);
  REQUIRE_FALSE(waits_for_later);
  REQUIRE(first.get() == ENOSPC);
  REQUIRE(reads.wait(2) == ENOSPC);
}

TEST_CASE("disk_rows: a failed write is an error, and no row is lost, which a checkpoint still needs") {
  const Exec exec;
  const embedding::TableShard shard = shard_of(24000, 256, {0, 256}, optim::Type::sgd);
  for (const bool threads : {false, true}) {
    const auto store = tiers::disk_rows({folder, 0.1, 1, false, threads})(exec, shard);
    const auto memory = embedding::memory_rows(exec, shard);
    const embedding::StartValues start(shard.config, 3, 0);
    store->initialize(exec, start);
    memory->initialize(exec, start);
    std::mt19937 random{7};
    const FileLimit limit(3 << 20);  // three segments
    int errors = 0;
    for (int batch = 0; batch < 40; ++batch) {
      std::vector<Index> list(1000);
      for (Index& row : list) row = Index(random() % 24000);
      const std::string error = error_of([&] {
        embedding::PinnedRows pinned(exec, *store, list);
        pinned.wait();
        move(exec, *store, pinned.slots(), float(batch));
        move(exec, *memory, list, float(batch));
        pinned.set_moved();
      });
      if (error.empty()) continue;
      ++errors;
      CHECK(mentions(error, "table t: cannot write its rows in " + folder + ": File too large"));
    }
    REQUIRE(errors > 1);
    require_equal(exec, *store, *memory, shard.rows());
  }
}
