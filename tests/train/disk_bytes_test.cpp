// SPDX-License-Identifier: Apache-2.0
// Stores of kernels disk and host_cached beside the planner's count of their bytes.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "train/small_job.hpp"
#include <tesserec/planning/table_costs.hpp>
#include <tesserec/tiers/disk_rows.hpp>
#include <tesserec/tiers/host_cached_rows.hpp>

using namespace tesserec;
using planning::ComputeKernel;

TEST_CASE("disk_rows: a store has the bytes that the planner counts") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "disk_bytes");
  std::filesystem::create_directories(folder.path());
  const Exec exec;
  tiers::DiskSettings settings;
  settings.folder = folder.path();
  settings.cache = 0.25;
  settings.table_caches["large"] = 6e6;  // bytes
  const embedding::MakeRowStore stores = tiers::disk_rows(settings);
  for (const char* const name : {"small", "large"})
    for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad, optim::Type::adam}) {
      INFO(name << ", optimizer " << int(type));
      embedding::TableShard shard;
      shard.config.name = name;
      shard.config.num_embeddings = 200000;
      shard.config.embedding_dim = 32;
      shard.columns = {0, 32};
      shard.optimizer.type = type;
      shard.kernel = ComputeKernel::disk;
      planning::ParameterConstraints demand;
      demand.kernel = ComputeKernel::disk;
      demand.cache = name == std::string("large") ? 6e6 : settings.cache;
      const planning::RowStorage counted(shard.config, demand, shard.optimizer, 0);
      const auto store = stores(exec, shard);
      const embedding::RowStore::Bytes bytes = store->bytes();
      CHECK(double(bytes.host) == Approx(counted.bytes(200000, 32)).epsilon(0.03));
      const double file = counted.file * counted.row_bytes(32) * 200000;
      CHECK(double(bytes.disk) >= file);
      CHECK(double(bytes.disk) < 1.1 * file + 8e6);  // records end before a page does; segments in reserve
    }
}

TEST_CASE("host_cached_rows: a store has the bytes that the planner counts, on the device and on the host") {
  const Exec exec;
  constexpr Index rows = 200000, dim = 32;
  for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad, optim::Type::adam}) {
    INFO("optimizer " << int(type));
    embedding::TableShard shard;
    shard.config = embedding::table_config("t", rows, dim);
    shard.columns = {0, dim};
    shard.optimizer.type = type;
    shard.place = Place::device;
    planning::ParameterConstraints demand;
    demand.kernel = ComputeKernel::host_cached;
    demand.cache = 0.25;
    const planning::RowStorage counted(shard.config, demand, shard.optimizer, 0);
    const auto store = tiers::host_cached_rows({.cache = 0.25, .table_caches = {}})(exec, shard);
    const auto start = store->bytes();
    CHECK(double(start.device) == Approx(counted.bytes(rows, dim)).epsilon(0.01));
    CHECK(double(start.host) == Approx(counted.host_index * rows).epsilon(0.01));
    if (!device_is_host) continue;  // the emulated device would take minutes
    constexpr Index batch = 20000;
    for (Index first = 0; first < 2 * rows; first += batch) {  // in the end every row has left the cache
      std::vector<Index> list(batch);
      for (Index i = 0; i < batch; ++i) list[i] = (first + i) % rows;
      embedding::PinnedRows pinned(exec, *store, list);
      pinned.set_moved();
    }
    const auto end = store->bytes();
    const double copies = counted.travel_bytes(batch, batch, dim);
    CHECK(double(end.device) == Approx(counted.bytes(rows, dim) + copies).epsilon(0.06));
    CHECK(double(end.host) >= counted.host * counted.row_bytes(dim) * rows);
    CHECK(double(end.host) < 1.2 * counted.host * counted.row_bytes(dim) * rows + copies + 32e6);
  }
}
