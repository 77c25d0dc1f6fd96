// SPDX-License-Identifier: Apache-2.0
// Kernel host_cached has the digests of rows in the memory of kernels: by each optimizer and format, with caches of any
// size, on any ranks and by any plan, and after restarts with another kernel. Hosts refuse it.
#include <cmath>
#include <fstream>

#include "catch.hpp"
#include "errors.hpp"
#include "left_out.hpp"
#include "small_job.hpp"
#include <tesserec/core/device.hpp>
#include <tesserec/core/json.hpp>

using namespace tesserec;
using planning::ComputeKernel;
using planning::ShardingType;

namespace {

train::Job job_of(optim::Type type, NumberType format) {
  train::Job job = small_job("");
  job.run.kernels = Kernels::automatic;
  job.data.synthetic.kind = data::SyntheticKind::reference;  // which is made fast, with uniform ids
  job.data.synthetic.round_targets = true;
  job.data.synthetic.samples = 900;
  job.data.synthetic.evaluate_samples = 64;
  job.data.synthetic.rows = {9000, 7, 5000};
  job.data.synthetic.ids_per_bag = 3;
  job.data.synthetic.variable_bags = false;
  job.model.embedding_dim = job.model.bottom.back() = 12;
  job.train.batch_size = 128;
  job.train.epochs = 1;
  job.optimizer.sparse.type = type;
  job.optimizer.sparse.initial_accumulator = 0.125;
  job.model.table_format = format;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
  if (!device_is_host) job.plan.device = "cuda";
  return job;
}

/// Returns the sum of a value of the lines of metrics.jsonl in a folder.
double logged(const std::string& folder, const std::string& key) {
  std::ifstream lines(folder + "/metrics.jsonl");
  double sum = 0;
  for (std::string line; std::getline(lines, line);)
    if (const Json json = parse_json(line); json.has(key)) sum += json.at(key).number();
  return sum;
}

}  // namespace

TEST_CASE("plan.kernel: host_cached has the digests of rows in memory") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder together(world, "host_cached");
  if (device_is_host) {
    train::Job job = job_of(optim::Type::sgd, NumberType::fp32);
    job.run.output = together.path();
    job.plan.kernel = ComputeKernel::host_cached;
    const std::string refused = error_of([&] { run(world, job); });
    INFO(refused);
    CHECK(mentions(refused, "table C1 has kernel \"host_cached\", whose cache is in a GPU's memory"));
    job.plan.kernel = {ComputeKernel::host_cached, ComputeKernel::fused};
    CHECK(error_of([&] { run(world, job); }).empty());
    return;
  }
  const ShardingType types[] = {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise,
                                ShardingType::data_parallel};
  const double caches[] = {0.0, 0.25, 9e4};  // 1024 rows, which two batches fit; a share; bytes
  Index turn = 0;
  double written = 0;  // bytes of rows that left caches
  for (const optim::Type type : {optim::Type::sgd, optim::Type::rowwise_adagrad, optim::Type::adam, optim::Type::lamb})
    for (const NumberType format : {NumberType::fp32, NumberType::fp16, NumberType::bf16}) {
      if (left_out(turn++, 5)) continue;
      train::Job job = job_of(type, format);
      job.run.output = together.path();
      const Digests expected = digests_alone(world, job);
      for (int k = 0; k < 2; ++k) {
        train::Job cached = job;
        cached.plan.kernel = ComputeKernel::host_cached;
        cached.plan.cache = caches[(turn + k) % 3];
        cached.plan.default_type = types[(turn + 2 * k + world.size()) % 4];
        cached.train.pipeline = k == 0;
        INFO(optim::info(type).name << ", " << name(format) << ", cache " << cached.plan.cache << ", "
                                    << planning::name(*cached.plan.default_type));
        REQUIRE(digests(world, cached) == expected);
        written += logged(job.run.output, "host_bytes_written");
        const double hits = logged(job.run.output, "cache_hit_rate");
        CHECK((hits > 0 && std::isfinite(hits)));
      }
    }
  CHECK(written > 0);
}

TEST_CASE("plan.kernel: host_cached with micro-batches, a bound of the gradients, and restarts with other kernels") {
  if (device_is_host) return;
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder together(world, "host_cached_restart");
  train::Job job = job_of(optim::Type::rowwise_adagrad, NumberType::bf16);
  job.run.output = together.path();
  job.train.accumulate = 2;
  job.train.batch_size = 64;
  job.train.lanes = 8;
  job.optimizer.max_norm = 0.5;
  const Digests expected = digests_alone(world, job);
  job.run.overwrite = false;
  job.checkpoint.resume = "auto";
  job.checkpoint.keep = 1;
  const std::vector<planning::ComputeKernels> kernels = {ComputeKernel::host_cached, ComputeKernel::fused,
                                                         ComputeKernel::host_cached};
  const Index ends[] = {2, 4, 0};
  for (std::size_t start = 0; start < 3; ++start) {
    job.plan.kernel = kernels[start];
    job.plan.cache = start == 0 ? 0.0 : 0.3;
    job.plan.default_type = start == 2 ? ShardingType::row_wise : ShardingType::table_wise;
    if (start == 2) job.plan.tables["C2"].kernel = ComputeKernel::fused;
    job.train.steps = ends[start];
    const Digests reached = digests(world, job);
    if (start == 2) REQUIRE(reached == expected);
  }
}

TEST_CASE("plan.kernel: a cache of host_cached that two batches do not fit is refused") {
  const comm::Communicator world(MPI_COMM_WORLD);
  if (device_is_host) return;
  const Folder together(world, "host_cached_small");
  train::Job job = job_of(optim::Type::sgd, NumberType::fp32);
  job.run.output = together.path();
  job.plan.kernel = ComputeKernel::host_cached;
  job.plan.cache = 0;
  job.plan.default_type = ShardingType::table_wise;
  job.train.batch_size = 450;  // 1350 ids of C1
  const std::string refused = error_of([&] { run(world, job); });
  INFO(refused);
  CHECK(mentions(refused, "do not fit into its cache of 1024 rows"));
  CHECK(mentions(refused, "set a larger cache or a smaller batch"));
}
