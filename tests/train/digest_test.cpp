// SPDX-License-Identifier: Apache-2.0
// Digests of a training: any number of ranks under any plan ends with the bits of one rank alone.
#include "catch.hpp"
#include "small_job.hpp"

using namespace tesserec;
using planning::ShardingType;

namespace {

struct Outcome {
  std::string weights, state;
  double auc = 0, loss = 0;
};

Outcome outcome(const comm::Communicator& comm, train::Job job) {
  const Folder folder(comm, "digest_" + std::to_string(comm.size()));
  job.run.output = folder.path();
  const train::TrainResult result = run(comm, job);
  return {result.weights_digest, result.state_digest, result.evaluation->auc, result.loss};
}

void compare(const train::Job& job) {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Outcome alone = outcome(self, job);
  REQUIRE(alone.weights.size() == 16);
  for (const std::optional<ShardingType> type :
       {std::optional<ShardingType>(), std::optional(ShardingType::table_wise), std::optional(ShardingType::row_wise),
        std::optional(ShardingType::data_parallel)}) {
    train::Job planned = job;
    planned.plan.default_type = type;
    planned.train.pipeline = type != ShardingType::row_wise;  // with and without prefetched ids
    INFO(world.size() << " ranks, " << (type ? planning::name(*type) : "auto"));
    const Outcome together = outcome(world, planned);
    REQUIRE(together.weights == alone.weights);
    REQUIRE(together.state == alone.state);
    REQUIRE(together.loss == alone.loss);
    REQUIRE(together.auc == alone.auc);
  }
}

}  // namespace

TEST_CASE("train: has one digest with the dense kernel and mean pooling and cat") {
  train::Job job = small_job("");
  job.model.interaction = network::Interaction::cat;
  job.tables = {{"C1", 0, 0, {}, embedding::PoolingType::mean, false, {}},
                {"C2", 0, 3, {}, {}, false, {}},
                {"C3", 0, 0, {}, {}, false, {}}};
  job.data.synthetic.ids_per_bag = 4;
  job.optimizer.dense.type = optim::Type::adam;
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].kernel = embedding::ComputeKernel::dense;
  compare(job);
}

TEST_CASE("train: run.seed and train.lanes and train.shuffle change the weights") {
  const comm::Communicator self(MPI_COMM_SELF);
  const train::Job job = small_job("");
  const Outcome base = outcome(self, job);
  train::Job seed = job, lanes = job, order = job;
  seed.run.seed = 2;
  lanes.train.lanes = 4;
  order.train.shuffle = false;
  for (const train::Job& other : {seed, lanes, order}) REQUIRE(outcome(self, other).weights != base.weights);
}
