// SPDX-License-Identifier: Apache-2.0
// plan.replicas: digests, metrics and checkpoints do not depend on the number of replica groups, under every sharding
// type and with the optimizers whose steps depend on whole rows, whole tensors or all gradients.
#include "catch.hpp"
#include "left_out.hpp"
#include "small_job.hpp"

using namespace tesserec;
using planning::ShardingType;

namespace {

constexpr optim::Type optimizers[] = {optim::Type::sgd,  optim::Type::adagrad, optim::Type::rowwise_adagrad,
                                      optim::Type::adam, optim::Type::lamb,    optim::Type::lars_sgd};
constexpr ShardingType types[] = {ShardingType::table_wise, ShardingType::row_wise, ShardingType::column_wise,
                                  ShardingType::grid};

train::Job job_of(const std::string& folder, optim::Type type) {
  train::Job job = small_job(folder);
  job.model.embedding_dim = job.model.bottom.back() = 12;
  job.train.epochs = 1;
  job.optimizer.sparse.type = type;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
  return job;
}

std::vector<int> divisors(int ranks) {
  std::vector<int> list;
  for (int groups = 1; groups <= ranks; ++groups)
    if (ranks % groups == 0) list.push_back(groups);
  return list;
}

std::string outcome(const comm::Communicator& comm, const train::Job& job) {
  const train::TrainResult result = run(comm, job);
  std::string text = result.weights_digest + " " + result.state_digest + concat(' ', result.evaluation->auc);
  for (const train::TableFigures& table : result.tables)
    text += concat(' ', table.sampled, ' ', table.trained, ' ', table.row_norm, ' ', table.largest);
  return text;
}

}  // namespace

TEST_CASE("plan.replicas: every number of groups has the digest and figures of one rank") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder folder(world, "replicas");
  Index turn = 0;
  for (const optim::Type type : optimizers)
    for (const bool by_norm : {false, true}) {
      if (left_out(turn++, 6)) continue;
      train::Job job = job_of(folder.path(), type);
      if (by_norm) job.optimizer.max_norm = 0.05;
      if (by_norm) job.train.batch_size /= job.train.accumulate = 2;
      job.model.table_format = by_norm ? NumberType::bf16 : NumberType::fp32;
      std::string alone;
      if (world.rank() == 0) {
        train::Job single = job;
        single.run.output += "_alone";
        alone = outcome(self, single);
        std::filesystem::remove_all(single.run.output);
      }
      alone = world.broadcast(alone, 0);
      const embedding::ComputeKernel tier =
          device_is_host ? embedding::ComputeKernel::disk : embedding::ComputeKernel::host_cached;
      for (const int groups : divisors(world.size())) {
        const Index n = turn + groups;
        job.plan.replicas = groups;
        job.plan.default_type = n % 5 < 4 ? std::optional(types[n % 5]) : std::nullopt;
        const bool tiered = n % 3 == 0 || (!device_is_host && groups == world.size());
        job.plan.kernel = tiered ? tier : embedding::ComputeKernel::fused;
        if (!device_is_host) job.plan.device = tiered ? "cuda" : "";
        job.plan.tables["C2"].sharding =
            n % 4 == 0 ? planning::ShardingTypes(ShardingType::data_parallel) : planning::ShardingTypes();
        const bool portable = tiered ? !device_is_host : n % 2 == 0;
        job.run.kernels = portable ? Kernels::portable : Kernels::simd;
        INFO(groups << " groups of " << world.size() << " ranks, optimizer " << int(type) << ", max_norm " << by_norm
                    << ", type " << n % 5 << ", kernels " << name(job.run.kernels));
        REQUIRE(outcome(world, job) == alone);
      }
    }
}

TEST_CASE("plan.replicas: a run that stops resumes with other groups on other ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder folder(world, "replicas_restart");
  train::Job job = job_of(folder.path(), optim::Type::rowwise_adagrad);
  const Digests expected = digests_alone(world, job);
  job.checkpoint.resume = "auto";
  const std::vector<int> groups = divisors(world.size());
  Index stop = 0;
  for (const int replicas : {groups.back(), groups[groups.size() / 2], 0, groups[groups.size() / 2]}) {
    job.train.steps = ++stop < 4 ? stop : 0;
    job.plan.replicas = std::max(replicas, 1);
    job.plan.default_type = types[stop % 4];
    Digests result = expected;
    if (replicas > 0)
      result = digests(world, job);
    else if (world.rank() == 0)
      result = digests(self, job);
    world.barrier();
    if (job.train.steps == 0) REQUIRE(result == expected);
  }
}
