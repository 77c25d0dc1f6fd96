// SPDX-License-Identifier: Apache-2.0
// Restarts: a run that stops and resumes on another number of ranks and under another plan ends with the bits of a
// run that never stopped.
#include <csignal>
#include <fstream>
#include <functional>

#include "catch.hpp"
#include "small_job.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/checkpoint.hpp>

using namespace tesserec;

namespace {

/// Returns the first `ranks` ranks of the world; null on the others.
std::unique_ptr<comm::Communicator> first_ranks(const comm::Communicator& world, int ranks) {
  auto group = std::make_unique<comm::Communicator>(world, world.rank() < ranks ? 0 : 1);
  return world.rank() < ranks ? std::move(group) : nullptr;
}

/// Returns the step of the newest whole checkpoint, or -1 if there is none.
Index newest(const comm::Communicator& comm, const train::Job& job) {
  const auto whole = parallel_io::CheckpointFolder(comm, job.checkpoint_folder()).list();
  return whole.empty() ? -1 : whole.front().step;
}

}  // namespace

TEST_CASE("checkpoint.resume: training that stops at any step resumes exactly on any number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  for (const optim::Type type : {optim::Type::adam, optim::Type::rowwise_adagrad}) {
    train::Job job = small_job("");
    job.optimizer.sparse.type = type;
    job.optimizer.dense.type = optim::Type::adam;
    if (type == optim::Type::adam)
      job.schedule = {4, 5, 3};
    else
      job.schedule.stages = {{optim::Policy::linear, 3, 0.1}, {optim::Policy::cosine, 7, 0.5}};
    job.model.embedding_dim = job.model.bottom.back() = 12;
    std::vector<std::string> tables = {"C1", "C2", "C3"};
    if (type == optim::Type::adam) {
      job.model.smaller.qr_collisions = 9;
      job.model.smaller.md_temperature = 0.1;
      tables = {"C1_quotient", "C1_remainder", "C2", "C3_quotient", "C3_remainder"};
    }
    for (const std::string& table : tables) job.plan.tables[table].min_partition = 4;
    const Folder whole(self, "restart_whole_" + std::to_string(world.rank()));
    job.run.output = whole.path();
    const train::TrainResult expected = run(self, job);
    REQUIRE(expected.steps == 8);  // two epochs of four

    const Folder folder(world, "restart");
    job.run.output = folder.path();
    job.checkpoint.resume = "auto";
    const int half = world.size() / 2 + 1;
    const std::pair<Index, int> legs[] = {{1, world.size()}, {4, 1}, {5, half}, {8, world.size()}};  // stop, ranks
    for (const auto& [stop, ranks] : legs) {
      job.train.steps = stop;
      job.plan.default_type = stop == 1   ? planning::ShardingType::column_wise
                              : stop == 4 ? planning::ShardingType::table_wise
                              : stop == 5 ? planning::ShardingType::row_wise
                                          : planning::ShardingType::grid;
      if (const auto group = first_ranks(world, ranks)) {
        const train::TrainResult result = run(*group, job);
        REQUIRE(result.steps == stop);
        REQUIRE(newest(*group, job) == stop);
        if (stop == 8) {
          REQUIRE(result.weights_digest == expected.weights_digest);
          REQUIRE(result.state_digest == expected.state_digest);
          REQUIRE(result.evaluation->auc == expected.evaluation->auc);
        }
      }
      world.barrier();
    }
  }
}

TEST_CASE("checkpoint: distinguishes a shard of one column from a state of one number a row") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const comm::Communicator self(MPI_COMM_SELF);
  train::Job job = small_job("");
  job.optimizer.sparse.type = optim::Type::rowwise_adagrad;
  job.model.embedding_dim = job.model.bottom.back() = 5;  // cut 4 + 1
  for (const char* table : {"C1", "C2", "C3"}) job.plan.tables[table].min_partition = 1;
  const Folder whole(self, "one_column_whole_" + std::to_string(world.rank()));
  job.run.output = whole.path();
  const train::TrainResult expected = run(self, job);

  const Folder folder(world, "one_column");
  job.run.output = folder.path();
  job.plan.default_type = planning::ShardingType::column_wise;
  job.checkpoint.resume = "auto";
  job.train.steps = 3;
  run(world, job);
  job.train.steps = 0;
  const train::TrainResult result = run(world, job);
  REQUIRE(result.weights_digest == expected.weights_digest);
  REQUIRE(result.state_digest == expected.state_digest);
}

TEST_CASE("train: a signal on one rank ends the run on all with a checkpoint from which it resumes") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "signal");
  train::Job job = small_job(folder.path());
  job.checkpoint.resume = "auto";
  const train::TrainResult stopped = run_to_signal(world, job, 3);
  REQUIRE(stopped.signal == SIGUSR1);
  REQUIRE(stopped.steps == 3);
  REQUIRE(newest(world, job) == 3);

  const train::TrainResult finished = run(world, job);
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder whole(self, "signal_whole_" + std::to_string(world.rank()));
  REQUIRE(finished.steps == 8);
  REQUIRE(finished.weights_digest == run(self, small_job(whole.path())).weights_digest);
}

TEST_CASE("evaluate: a signal on one rank ends the run on all and the next run evaluates again") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "evaluation_signal");
  train::Job job = small_job(folder.path());
  job.checkpoint.resume = "auto";
  job.evaluate.every_steps = 3;
  const auto evaluations = [&] {
    std::vector<Index> steps;
    std::ifstream file(job.run.output + "/metrics.jsonl");
    for (std::string line; std::getline(file, line);)
      if (const Json json = parse_json(line); json.at("kind").string() == "evaluate")
        steps.push_back(json.at("step").integer());
    return steps;
  };
  const train::TrainResult stopped = run_to_signal(world, job, 0, 2);
  CHECK(stopped.signal == SIGUSR1);
  CHECK(stopped.steps == 3);
  CHECK(newest(world, job) == 3);
  CHECK_FALSE(stopped.evaluation);
  world.barrier();
  CHECK(evaluations().empty());
  CHECK(run(world, job).signal == 0);
  world.barrier();
  CHECK(evaluations() == std::vector<Index>{3, 6, 8});
}

TEST_CASE("train: a signal before the first step ends the run on all ranks without a checkpoint") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "early_signal");
  const Signals signals;
  if (world.rank() == world.size() - 1) std::raise(SIGHUP);
  CHECK_THROWS_AS(run(world, small_job(folder.path())), Stopped);
  CHECK_FALSE(std::filesystem::exists(folder.path() + "/checkpoints"));
}

TEST_CASE("checkpoint: obeys keep and resume = never and refuses the checkpoint of another run") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "keep");
  train::Job job = small_job(folder.path());
  job.checkpoint.every_steps = 1;
  job.checkpoint.keep = 3;
  job.checkpoint.resume = "auto";
  run(world, job);
  const parallel_io::CheckpointFolder checkpoints(world, job.checkpoint_folder());
  REQUIRE(checkpoints.list().size() == 3);
  REQUIRE(checkpoints.list().front().step == 8);

  const auto refused = [&](const std::function<void(train::Job&)>& change, const std::string& expected) {
    train::Job other = job;
    change(other);
    std::string text = "accepted";
    try {
      run(world, other);
    } catch (const Error& error) {
      text = error.what();
    }
    INFO(text);
    REQUIRE(text.find(expected) != std::string::npos);
  };
  refused([](train::Job& j) { j.train.lanes = 4; }, "train.lanes");
  refused([](train::Job& j) { j.train.batch_size = 128; }, "train.batch_size");
  refused([](train::Job& j) { j.run.seed = 9; }, "run.seed");
  refused([](train::Job& j) { j.train.shuffle = false; }, "train.shuffle");
  refused([](train::Job& j) { j.data.synthetic.samples = 1000; }, "samples_per_epoch");
  refused([](train::Job& j) { j.model.top = {24, 1}; }, "dense/top.0");
  refused([](train::Job& j) { j.data.synthetic.rows = {3001, 6, 500}; }, "tables/C2");
  refused([](train::Job& j) { j.optimizer.dense.type = optim::Type::adam; }, "exp_avg");

  job.train.lanes = 4;
  job.checkpoint.relane = true;
  job.train.epochs = 3;
  REQUIRE(run(world, job).steps == 12);
  // Checkpoints of later steps are replaced only if run.overwrite is true.
  job.run.overwrite = false;
  for (const std::string& resume : {std::string("never"), checkpoints.list().back().folder})
    refused(
        [&](train::Job& j) {
          j.checkpoint.resume = resume;
          j.train.steps = 11;
        },
        "holds checkpoints up to step 12");
  REQUIRE(checkpoints.list().front().step == 12);
  job.run.overwrite = true;
  job.checkpoint.resume = "never";
  job.train.steps = 2;
  REQUIRE(run(world, job).steps == 2);
  REQUIRE(checkpoints.list().front().step == 2);
}
