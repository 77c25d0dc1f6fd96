// SPDX-License-Identifier: Apache-2.0
// Portable kernels have the digests of SIMD kernels: for each optimizer, under plans that cut rows, columns or
// neither, with and without micro-batches, and from a checkpoint that the other kernels wrote.
#include "catch.hpp"
#include "left_out.hpp"
#include "small_job.hpp"

using namespace tesserec;
using planning::ShardingType;

namespace {

train::Job job_of(std::size_t i) {
  train::Job job = small_job("");
  job.run.kernels = Kernels::simd;
  job.data.synthetic.samples = 450;
  job.data.synthetic.evaluate_samples = 64;
  job.data.synthetic.rows = {301, 7, 50};
  job.data.synthetic.ids_per_bag = 5;
  job.data.synthetic.variable_bags = true;
  job.model.embedding_dim = job.model.bottom.back() = i % 2 == 0 ? 12 : 10;
  job.train.batch_size = 128;
  job.train.epochs = 1;
  job.optimizer.sparse.type = optim::types()[i].type;
  job.optimizer.sparse.weight_decay = 0.01;
  job.optimizer.sparse.decay = i % 2 == 0 ? optim::Decay::l2 : optim::Decay::decoupled;
  if (i % 3 == 0) job.optimizer.sparse.max_gradient = 1e-3;
  if (i % 4 == 1) job.optimizer.max_norm = 0.5;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
  return job;
}

}  // namespace

TEST_CASE("run.kernels: portable has the digests of simd and resumes from its checkpoints") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder together(world, "kernels");
  const ShardingType types[] = {ShardingType::table_wise, ShardingType::column_wise, ShardingType::data_parallel,
                                ShardingType::row_wise, ShardingType::grid};
  for (std::size_t i = 0; i < optim::types().size(); ++i) {
    if (world.size() > 2 && int(i) % 2 == world.size() % 2) continue;  // the others on another number of ranks
    if (left_out(Index(i) / 2, world.size() > 1 ? 5 : 3)) continue;
    train::Job job = job_of(i);
    job.run.output = together.path();
    const Digests expected = digests_alone(world, job);
    job.run.kernels = Kernels::portable;
    const std::size_t first = (i + std::size_t(world.size())) % 5;  // other plans on other numbers of ranks
    for (const std::size_t k : {first, (first + 2) % 5}) {
      train::Job planned = job;
      planned.plan.default_type = types[k];
      planned.train.accumulate = k % 2 == 1 ? 2 : 1;
      planned.train.batch_size /= planned.train.accumulate;
      INFO(optim::types()[i].name << ", " << planning::name(types[k]));
      REQUIRE(digests(world, planned) == expected);
    }
    if (first % 2 != 0) continue;
    INFO(optim::types()[i].name << ", restart");
    job.train.steps = 2;
    job.run.kernels = Kernels::simd;
    run(world, job);
    job.train.steps = 4;
    job.run.kernels = Kernels::portable;
    job.checkpoint.resume = "auto";
    REQUIRE(digests(world, job) == expected);
  }
}

TEST_CASE("run.kernels: portable has the digests of simd with the dense kernel") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder together(world, "kernels_dense");
  train::Job job = job_of(0);
  job.optimizer.dense.type = optim::Type::adam;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].kernel = embedding::ComputeKernel::dense;
  job.run.output = together.path();
  const Digests expected = digests_alone(world, job);
  job.run.kernels = Kernels::portable;
  for (const ShardingType type : {ShardingType::row_wise, ShardingType::column_wise, ShardingType::data_parallel}) {
    job.plan.default_type = type;
    REQUIRE(digests(world, job) == expected);
  }
}
