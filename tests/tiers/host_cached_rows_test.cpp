// SPDX-License-Identifier: Apache-2.0
// Stores with rows in host memory and a cache in a device's memory beside one with all rows in memory: equal rows after
// random batches, whatever the size of the cache. In a host build the device's memory is the host's.
#include "cached_run.hpp"
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/tiers/host_cached_rows.hpp>

using namespace tesserec;
using cached::numbers;

namespace {

embedding::TableShard device_shard(Index rows, Index dim, Range columns, optim::Type type) {
  embedding::TableShard shard = cached::shard_of(rows, dim, columns, type);
  shard.place = Place::device;
  shard.kernel = embedding::ComputeKernel::host_cached;
  return shard;
}

/// Returns the rows at slots, as kernels know them.
std::vector<Index> rows_at(const Exec& exec, const embedding::RowStore& store, const std::vector<Index>& slots) {
  std::vector<Index> all(std::size_t(store.weight_matrix().slots())), rows;
  copy(exec, Place::device, store.rows_of_slots(), Place::host, all.data(), std::ssize(all));
  for (const Index slot : slots) rows.push_back(all[std::size_t(slot)]);
  return rows;
}

}  // namespace

TEST_CASE("host_cached_rows: a store has the rows of one in memory") {
  for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad, optim::Type::adam})
    for (const double cache : {0.02, 0.3}) {
      INFO(int(type) << ", cache " << cache);
      cached::train_both(device_shard(1500, 20, {4, 16}, type), tiers::host_cached_rows({cache, 1}), 60);
    }
}

TEST_CASE("host_cached_rows: weights of 16 bits, odd numbers of columns, several chunks of records") {
  for (const NumberType format : {NumberType::fp16, NumberType::bf16})
    for (const Index dim : {5, 16}) {
      INFO(name(format) << ", " << dim << " columns");
      embedding::TableShard shard = device_shard(1500, dim, {0, dim}, optim::Type::rowwise_adagrad);
      shard.config.format = format;
      cached::train_both(shard, tiers::host_cached_rows({0.1, 1}), 60);
    }
  cached::train_both(device_shard(300, 40000, {0, 40000}, optim::Type::sgd), tiers::host_cached_rows({0.05, 1}), 60);
}

TEST_CASE("host_cached_rows: write() replaces rows, resident or not, and initialize() all of them") {
  const Exec exec;
  const embedding::TableShard shard = device_shard(2000, 8, {0, 8}, optim::Type::adagrad);
  const auto store = tiers::host_cached_rows({0.05, 1})(exec, shard);
  const embedding::StartValues start(shard.config, 3, 0);
  store->initialize(exec, start);
  const std::vector<float> first = numbers(exec, *store, 0, {0, 2000}),
                           first_sums = numbers(exec, *store, 1, {0, 2000});
  cached::require_written(exec, *store);
  CHECK(store->cache_use().pinned == 0);
  CHECK(store->cache_use().bytes_written == 0);  // only rows of batches count
  store->initialize(exec, start);
  REQUIRE(numbers(exec, *store, 0, {0, 2000}) == first);
  REQUIRE(numbers(exec, *store, 1, {0, 2000}) == first_sums);
}

TEST_CASE("host_cached_rows: kernels know the rows at slots, and the bytes that travel are counted") {
  const Exec exec;
  const auto store = tiers::host_cached_rows({0.01, 1})(exec, device_shard(2000, 8, {0, 8}, optim::Type::adagrad));
  const Index record = 2 * 8 * sizeof(float);
  for (const Index begin : {0, 20, 10, 0}) {  // 20 slots; rows 10 to 19 leave and return
    std::vector<Index> rows;
    for (Index row = begin; row < begin + 20; ++row) rows.push_back(row);
    embedding::PinnedRows pinned(exec, *store, rows);
    REQUIRE(rows_at(exec, *store, pinned.slots()) == rows);
    if (begin != 20) pinned.set_moved();
  }
  const embedding::CacheUse use = store->cache_use();
  CHECK(use.slots == 20);
  CHECK(use.pinned == 80);
  CHECK(use.reads == 20 + 20 + 10 + 10);
  CHECK(use.bytes_read == use.reads * record);
  CHECK(use.bytes_written == (20 + 0 + 10) * record);  // rows 20 to 29 never moved, rows 0 to 19 did
  const embedding::RowStore::Bytes bytes = store->bytes();
  CHECK(bytes.device >= 20 * record);
  CHECK(bytes.device < 200 * record);
  CHECK(bytes.disk == 0);
}

TEST_CASE("host_cached_rows: a cache smaller than a batch is refused, and the store remains whole") {
  const Exec exec;
  const embedding::TableShard shard = device_shard(2000, 8, {0, 8}, optim::Type::sgd);
  const auto store = tiers::host_cached_rows({0.01, 1})(exec, shard);
  store->initialize(exec, embedding::StartValues(shard.config, 3, 0));
  const std::vector<float> first = numbers(exec, *store, 0, {0, 2000});
  std::vector<Index> list(25);
  for (Index i = 0; i < 25; ++i) list[std::size_t(i)] = i;
  const std::string full = error_of([&] { store->pin(exec, list); });
  INFO(full);
  REQUIRE(mentions(full, "table t"));
  REQUIRE(mentions(full, "cache of 20 rows"));
  REQUIRE(mentions(full, "25 rows, 800 B; set a larger cache or a smaller batch"));
  REQUIRE(numbers(exec, *store, 0, {0, 2000}) == first);
  list.resize(20);
  const embedding::PinnedRows all(exec, *store, list);  // the error has released its rows
  REQUIRE(all.slots().size() == 20);
}

TEST_CASE("host_cached_rows: a table in host memory and the store in memory are refused") {
  const Exec exec;
  embedding::TableShard shard = device_shard(2000, 8, {0, 8}, optim::Type::sgd);
  CHECK(mentions(error_of([&] { embedding::memory_rows(exec, shard); }), "kernel \"host_cached\""));
  shard.place = Place::host;
  CHECK(mentions(error_of([&] { tiers::host_cached_rows({})(exec, shard); }), "table t: rows in host memory"));
}
