// SPDX-License-Identifier: Apache-2.0
// Kernel disk has the digests of rows in memory: with caches of 1 % to all rows, by each plan, optimizer and format,
// with rows read a batch ahead and when they are asked for. ctest runs some of the cases; test_train "[every]"
// runs all.
#include <optional>

#include "catch.hpp"
#include "small_job.hpp"
#include <tesserec/core/device.hpp>

using namespace tesserec;
using planning::ShardingType;

namespace {

/// Returns a job that asks for some 7600 rows of C2 in an epoch, more than half of them, and for 384 in a batch.
train::Job job_of(optim::Type type, NumberType format) {
  train::Job job = small_job("");
  job.run.kernels = Kernels::simd;
  job.data.synthetic.kind = data::SyntheticKind::reference;  // which is made fast, with uniform ids
  job.data.synthetic.round_targets = true;
  job.data.synthetic.samples = 4000;
  job.data.synthetic.evaluate_samples = 64;
  job.data.synthetic.rows = {120'000, 12'000, 7};  // 1 % of C1 is above a cache's least 1024 rows
  job.data.synthetic.ids_per_bag = 3;
  job.data.synthetic.variable_bags = false;
  job.model.embedding_dim = job.model.bottom.back() = 64;  // so that rows leave the buffers that are written
  job.train.batch_size = 128;
  job.optimizer.sparse.type = type;
  job.checkpoint.keep = 0;
  job.model.table_format = format;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
  return job;
}

void compare(bool every) {
  if (!device_is_host) return;  // where kernel host_cached takes its place
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "disk");
  int turn = world.size();  // other cases on other numbers of ranks
  for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad, optim::Type::adam})
    for (const NumberType format : {NumberType::fp32, NumberType::fp16, NumberType::bf16}) {
      train::Job job = job_of(type, format);
      job.run.output = folder.path();
      std::optional<Digests> expected;
      for (const ShardingType plan :
           {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise, ShardingType::data_parallel})
        for (const double cache : {0.999, 0.5, 0.1, 0.01})
          for (const bool ahead : {true, false}) {
            if (turn++ % 29 != 0 && !every) continue;
            if (!expected) expected = digests_alone(world, job);
            train::Job on_disk = job;
            on_disk.plan.kernel = planning::ComputeKernel::disk;
            on_disk.plan.default_type = plan;
            on_disk.plan.cache = cache;
            on_disk.train.pipeline = ahead;
            INFO(optim::info(type).name << ", " << name(format) << ", " << planning::name(plan) << ", cache " << cache
                                        << ", pipeline " << ahead << ", " << world.size() << " ranks");
            const train::TrainResult result = run(world, on_disk);
            const Digests reached = {result.weights_digest, result.state_digest};
            REQUIRE(reached == *expected);
            if (cache < 0.9) REQUIRE(result.tables.at(cache > 0.05 ? 1 : 0).cache.reads > 0);
          }
    }
}

}  // namespace

TEST_CASE("plan.kernel: disk has the digests of rows in memory") { compare(false); }

TEST_CASE("plan.kernel: disk has the digests of rows in memory, in all cases", "[.][every]") { compare(true); }
