// SPDX-License-Identifier: Apache-2.0
// model.precision = bf16: one digest on any number of ranks and over a restart between two of them.
#include <cmath>

#include "catch.hpp"
#include "small_job.hpp"

using namespace tesserec;

namespace {

train::Job job_of(const std::string& folder) {
  train::Job job = small_job(folder);
  job.data.synthetic.samples = 900;
  job.model.embedding_dim = job.model.bottom.back() = 7;
  job.model.bottom = {17, 7};
  job.model.top = {21, 2, 1};
  job.model.precision = products::Precision::bf16;
  job.optimizer.dense.type = optim::Type::adam;
  job.optimizer.dense.lr = 0.01;
  return job;
}

}  // namespace

TEST_CASE("model.precision: bf16 has one digest on all ranks and over a restart and is near fp32") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder alone(self, "precision_alone_" + std::to_string(world.rank()));
  train::Job job = job_of(alone.path());
  const train::TrainResult expected = run(self, job);
  train::Job fp32 = job;
  fp32.model.precision = products::Precision::fp32;
  const train::TrainResult wide = run(self, fp32);
  REQUIRE(wide.weights_digest != expected.weights_digest);
  REQUIRE(std::abs(wide.loss - expected.loss) < 0.01 * wide.loss);

  const Folder folder(world, "precision");
  job.run.output = folder.path();
  job.checkpoint.resume = "auto";
  for (const Index stop : {3, 0}) {
    job.train.steps = stop;
    job.plan.default_type = stop == 3 ? planning::ShardingType::row_wise : planning::ShardingType::table_wise;
    const comm::Communicator ranks(world, stop == 3 && world.rank() > world.size() / 2 ? 1 : 0);
    if (stop == 3 && world.rank() > world.size() / 2) continue;
    const train::TrainResult result = run(ranks, job);
    if (stop == 3) continue;
    REQUIRE(result.weights_digest == expected.weights_digest);
    REQUIRE(result.state_digest == expected.state_digest);
    REQUIRE(result.evaluation->auc == expected.evaluation->auc);
  }
}
