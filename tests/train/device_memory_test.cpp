// SPDX-License-Identifier: Apache-2.0
// Host code must not read or write device memory. Here a model has un-pooled features; plans_test.cpp covers pooled
// ones.
#include "catch.hpp"
#include "closed_memory.hpp"
#include "left_out.hpp"
#include "small_job.hpp"

using namespace tesserec;
using planning::ShardingType;

TEST_CASE("run.kernels: host code leaves device memory alone with un-pooled features and checkpoints") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "device_memory");
  train::Job job = small_job(folder.path());
  job.data.synthetic.samples = 512;
  job.data.synthetic.ids_per_bag = 3;
  job.model.embedding_dim = 16;
  weigh_vectors(job);
  job.optimizer.max_norm = 0.1;
  job.checkpoint.every_steps = 1;
  job.run.kernels = Kernels::simd;
  const train::TrainResult expected = run(world, job);
  job.run.kernels = Kernels::portable;
  Index turn = 0;
  for (const ShardingType type : {ShardingType::table_wise, ShardingType::row_wise, ShardingType::data_parallel}) {
    if (left_out(turn++, 2)) continue;
    INFO(planning::name(type));
    job.plan.default_type = type;
    job.train.epochs = 1;
    job.checkpoint.resume = "never";
    const ClosedMemory closed;
    run(world, job);
    job.train.epochs = 2;
    job.checkpoint.resume = "auto";
    const train::TrainResult result = run(world, job);
    CHECK(result.weights_digest == expected.weights_digest);
    CHECK(result.state_digest == expected.state_digest);
  }
}
