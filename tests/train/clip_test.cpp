// SPDX-License-Identifier: Apache-2.0
// optimizer.max_norm: scales all gradients of a step, dense and of touched rows, by their common norm. The bits are
// the same on any number of ranks and under any plan.
#include <cmath>

#include "catch.hpp"
#include "left_out.hpp"
#include "small_job.hpp"
#include <tesserec/train/checkpoint.hpp>

using namespace tesserec;
using planning::ShardingType;

namespace {

/// Every gradient of a first step, read from the velocity that momentum_sgd stored, and the norm of all.
struct FirstStep {
  std::vector<float> gradients;
  double norm = 0;  // as TrainStep reports it
};

FirstStep first_step(train::Job job) {
  const comm::Communicator self(MPI_COMM_SELF);
  job.optimizer.dense.type = job.optimizer.sparse.type = optim::Type::momentum_sgd;
  const auto source = data::make_source(job.data, data::Use::train, train::Session::deal(self, job, true));
  train::Session session(Exec(), self, job, source->info());
  train::PipelinedBatch now{data::Batch(Exec()), {}};
  for (int i = 0; i < job.train.accumulate; ++i) {
    REQUIRE(source->next(now.batch));
    session.step(now, nullptr, 1);
  }
  FirstStep result;
  const auto append = [&](const float* values, std::size_t n) {
    result.gradients.insert(result.gradients.end(), values, values + n);
  };
  const auto velocity = session.model.optimizer.state().front().values.to_host(Exec());
  append(velocity.data(), velocity.size());
  for (const auto& shard : session.model.tables().shards()) {
    const auto values = shard.rows->store().states().front().values.to_host(Exec());
    append(values.data(), values.size());
  }
  result.norm = session.step.gradient_norm();
  return result;
}

std::string outcome(const comm::Communicator& comm, const train::Job& job) {
  const train::TrainResult result = run(comm, job);
  return result.weights_digest + " " + result.state_digest;
}

}  // namespace

TEST_CASE("optimizer.max_norm: scales the gradients of a step as torch does") {
  train::Job job = small_job("");
  job.plan.tables["C2"].kernel = embedding::ComputeKernel::dense;
  for (const int batches : {1, 4}) {
    job.train.batch_size = 256 / batches;
    job.train.accumulate = batches;
    job.optimizer.max_norm = 0;
    const FirstStep free = first_step(job);
    CHECK(free.norm == 0);  // not computed without max_norm
    long double squares = 0;
    for (const float g : free.gradients) squares += static_cast<long double>(g) * static_cast<long double>(g);
    const auto norm = static_cast<double>(std::sqrt(squares));
    REQUIRE(norm > 0);
    for (const double fraction : {0.25, 0.999, 1.0, 2.0}) {
      job.optimizer.max_norm = fraction * norm;
      const FirstStep bound = first_step(job);
      CHECK(std::abs(bound.norm - norm) <= 1e-15 * norm);
      const auto scale = static_cast<float>(std::min(1.0, job.optimizer.max_norm / (norm + 1e-6)));
      REQUIRE(bound.gradients.size() == free.gradients.size());
      Index other = 0;
      for (std::size_t i = 0; i < free.gradients.size(); ++i) other += bound.gradients[i] != scale * free.gradients[i];
      CHECK(other == 0);
    }
  }
}

TEST_CASE("optimizer.max_norm: has one digest for all ranks and plans and kernels and micro-batches") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder alone(self, "clip_alone_" + std::to_string(world.rank()));
  const Folder together(world, "clip");
  Index turn = 0, plans = 0;
  for (const optim::Type type : {optim::Type::adagrad, optim::Type::lamb, optim::Type::rowwise_adagrad}) {
    if (left_out(turn++, 3)) continue;
    train::Job job = small_job("");
    job.run.kernels = Kernels::simd;
    job.data.synthetic.rows = {301, 7, 50};
    job.model.embedding_dim = job.model.bottom.back() = 11;  // cut 4 + 7, 8 + 3, ...
    job.train.epochs = 1;
    job.optimizer.sparse.type = type;
    job.optimizer.dense.type = optim::Type::momentum_sgd;
    job.optimizer.sparse.max_gradient = type == optim::Type::lamb ? 1e-3 : 0;
    for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 3;
    if (type == optim::Type::adagrad) {
      job.optimizer.dense.type = optim::Type::adagrad;
      job.plan.tables["C2"].kernel = embedding::ComputeKernel::dense;
    }
    job.run.output = alone.path();
    const std::string free = outcome(self, job);
    job.optimizer.max_norm = 0.05;
    const std::string expected = outcome(self, job);
    REQUIRE(expected != free);
    job.run.output = together.path();
    for (const std::optional<ShardingType> plan :
         {std::optional<ShardingType>(), std::optional(ShardingType::row_wise),
          std::optional(ShardingType::column_wise), std::optional(ShardingType::grid),
          std::optional(ShardingType::data_parallel)}) {
      if (left_out(plans++, 3)) continue;
      INFO(optim::info(type).name << ", plan " << (plan ? planning::name(*plan) : "auto"));
      job.plan.default_type = plan;
      REQUIRE(outcome(world, job) == expected);
    }
    job.run.kernels = Kernels::portable;
    REQUIRE(outcome(world, job) == expected);
    job.run.kernels = Kernels::simd;
    job.train.batch_size /= 2;
    job.train.accumulate = 2;
    REQUIRE(outcome(world, job) == expected);
  }
}
