// SPDX-License-Identifier: Apache-2.0
// Stores of kernel disk beside the planner's count of their bytes.
#include <filesystem>

#include "catch.hpp"
#include "errors.hpp"
#include "train/small_job.hpp"
#include <tesserec/planning/table_costs.hpp>
#include <tesserec/tiers/disk_rows.hpp>

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
      const planning::RowStorage counted(shard.config, demand, shard.optimizer);
      const auto store = stores(exec, shard);
      const embedding::RowStore::Bytes bytes = store->bytes();
      CHECK(double(bytes.host) == Approx(counted.bytes(200000, 32)).epsilon(0.03));
      const double file = counted.file * counted.row_bytes(32) * 200000;
      CHECK(double(bytes.disk) >= file);
      CHECK(double(bytes.disk) < 1.1 * file + 8e6);  // records end before a page does; segments in reserve
    }
}
