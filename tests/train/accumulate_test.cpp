// SPDX-License-Identifier: Apache-2.0
// Gradient accumulation: k micro-batches a step give the bits of one batch k times as large, on any number of ranks
// and under any plan. The last step of an epoch may be short.
#include <fstream>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/store/hdf5.hpp>
#include <tesserec/train/evaluate.hpp>

using namespace tesserec;
using planning::ShardingType;

namespace {

struct Outcome {
  std::string weights, state;
  double loss = 0, auc = 0, log_loss = 0;
  Index steps = 0, samples = 0;
  bool operator==(const Outcome&) const = default;
};

Outcome outcome(const comm::Communicator& comm, const train::Job& job) {
  const train::TrainResult r = run(comm, job);
  return {r.weights_digest, r.state_digest, r.loss, r.evaluation->auc, r.evaluation->log_loss, r.steps, r.samples};
}

train::Job job_of(optim::Type type) {
  train::Job job = small_job("");
  job.data.synthetic.rows = {301, 7, 50};
  job.data.synthetic.ids_per_bag = 3;
  job.model.embedding_dim = job.model.bottom.back() = 12;
  job.train.lanes = 16;
  job.optimizer.sparse.type = type;
  job.optimizer.sparse.weight_decay = 0.01;
  job.optimizer.sparse.max_gradient = 1e-3;
  job.optimizer.dense.type = optim::Type::adam;
  job.schedule = {4, 5, 3};
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 4;
  return job;
}

void accumulate(train::Job& job, int batches) {
  job.train.batch_size /= batches;
  job.train.accumulate = batches;
}

/// Returns the most micro-batches a step, up to 4, for which every rank has a lane in each.
int micro_batches(const comm::Communicator& comm, const train::Job& job) {
  return comm.size() * 4 <= job.train.lane_count() ? 4 : 2;
}

}  // namespace

TEST_CASE("train.accumulate: has the bits of one large batch for every kind of update and plan") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder alone(self, "accumulate_alone_" + std::to_string(world.rank()));
  const Folder together(world, "accumulate");
  const std::pair<optim::Type, Index> cases[] = {
      {optim::Type::adagrad, 773},              // 5 samples in the last of 4 steps
      {optim::Type::rowwise_adagrad, 900},      // 132
      {optim::Type::partial_rowwise_lamb, 769}  // 1
  };
  for (const auto& [type, samples] : cases) {
    train::Job job = job_of(type);
    job.data.synthetic.samples = samples;
    job.train.shuffle = samples != 773;
    job.run.output = alone.path();
    const Outcome large = outcome(self, job);
    REQUIRE(large.steps == 8);
    job.run.output = together.path();
    int number = 0;
    for (const int batches : {2, micro_batches(world, job)})
      for (const std::optional<ShardingType> plan :
           {std::optional<ShardingType>(), std::optional(ShardingType::column_wise), std::optional(ShardingType::grid),
            std::optional(ShardingType::data_parallel)}) {
        train::Job split = job;
        accumulate(split, batches);
        split.plan.default_type = plan;
        split.train.pipeline = number++ % 2 == 0;
        INFO(optim::info(type).name << ", " << batches << " batches, plan " << (plan ? planning::name(*plan) : "auto"));
        REQUIRE(outcome(world, split) == large);
      }
  }
}

TEST_CASE("train.accumulate: has the bits of one large batch with the dense kernel and running metrics") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder alone(self, "accumulate_dense_alone_" + std::to_string(world.rank()));
  const Folder together(world, "accumulate_dense");
  train::Job job = job_of(optim::Type::lars_sgd);
  job.plan.tables["C1"].kernel = embedding::ComputeKernel::dense;
  job.plan.tables["C1"].sharding = ShardingType::row_wise;
  job.plan.tables["C2"].kernel = embedding::ComputeKernel::dense;
  job.plan.tables["C2"].sharding = ShardingType::data_parallel;
  job.plan.tables["C3"].sharding = ShardingType::column_wise;
  job.train.metrics = {"ne"};
  job.train.log_every = 1;
  const auto lines = [](const train::Job& ran) {
    std::string text;
    std::ifstream file(ran.run.output + "/metrics.jsonl");
    for (std::string line; std::getline(file, line); text += line + "\n")  // without speed and time
      for (const char* const name : {", \"samples_per_second\": ", ", \"time\": "})
        if (const std::size_t from = line.find(name); from != std::string::npos)
          line.erase(from, line.find_first_of(",}", from + 1) - from);
    return text;
  };
  job.run.output = alone.path();
  const Outcome large = outcome(self, job);
  const std::string expected = lines(job);
  job.run.output = together.path();
  accumulate(job, micro_batches(world, job));
  REQUIRE(outcome(world, job) == large);
  world.barrier();
  REQUIRE(lines(job) == expected);
}

TEST_CASE("train.accumulate: micro-batches count as one step in the schedule and after a restart") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  train::Job job = job_of(optim::Type::lamb);
  job.train.log_every = 1;  // a run's loss is the mean since the last line, and each end of a run writes one
  const Folder whole(self, "accumulate_whole_" + std::to_string(world.rank()));
  job.run.output = whole.path();
  const Outcome expected = outcome(self, job);

  const Folder folder(world, "accumulate_restart");
  job.run.output = folder.path();
  job.checkpoint.resume = "auto";
  for (const auto& [stop, batches] : {std::pair<Index, int>{1, 2}, {3, micro_batches(world, job)}, {6, 1}, {0, 2}}) {
    train::Job leg = job;
    leg.train.steps = stop;
    leg.plan.default_type = batches == 2 ? ShardingType::column_wise : ShardingType::row_wise;
    accumulate(leg, batches);
    const Outcome result = outcome(world, leg);
    REQUIRE(result.steps == (stop > 0 ? stop : 8));
    if (stop == 0) REQUIRE(result == expected);
  }
}

TEST_CASE("train.accumulate: throws if it exceeds the lanes of a rank and names values that fit") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = small_job("");
  job.train.accumulate = 16;
  const std::string ranks = world.size() == 1 ? "1 rank" : std::to_string(world.size()) + " ranks";
  const int largest = world.size() == 1 ? 8 : world.size() == 2 ? 4 : 2;
  const std::string enough = std::to_string(world.size() == 3 ? 64 : 16 * world.size());
  CHECK(error_of([&] { train::Session::deal(world, job, true); }) ==
        ranks + " and train.accumulate = 16 need " + std::to_string(16 * world.size()) +
            " lanes or more, but train.lanes is 8; set train.lanes = " + enough +
            " or train.accumulate = " + std::to_string(largest));
}

TEST_CASE("predict: writes scores in the order of the samples for any train.accumulate") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder folder(world, "accumulate_scores");
  if (world.rank() == 0) std::filesystem::create_directories(folder.path());
  world.barrier();
  const auto scores = [&](const comm::Communicator& comm, int batches) {
    train::Job job = job_of(optim::Type::sgd);
    job.data.synthetic.evaluate_samples = 773;
    accumulate(job, batches);
    const auto source = train::open_source(comm, job, data::Use::evaluate);
    train::Session session(Exec(), comm, job, source->info());
    const std::string path =
        folder.path() + "/" + std::to_string(batches) + "_" + std::to_string(comm.size() > 1 ? -1 : world.rank());
    train::predict(session, *source, path);
    const store::File file = store::File::open(path);
    return std::pair{file.read_all<float>("scores"), file.read_all<float>("labels")};
  };
  const auto expected = scores(self, 1);
  REQUIRE(expected.first.size() == 773);
  REQUIRE(scores(world, 2) == expected);
  REQUIRE(scores(world, micro_batches(world, job_of(optim::Type::sgd))) == expected);
}
