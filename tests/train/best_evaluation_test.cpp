// SPDX-License-Identifier: Apache-2.0
// checkpoint.keep_best and evaluate.patience: the best evaluation, its checkpoint and the early end of a run.
#include <cmath>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/core/json.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/checkpoint.hpp>

using namespace tesserec;

namespace {

/// Returns step -> value from the lines of metrics.jsonl that evaluations wrote.
std::map<Index, double> evaluations(const train::Job& job, const std::string& metric) {
  std::map<Index, double> values;
  std::ifstream file(job.run.output + "/metrics.jsonl");
  for (std::string line; std::getline(file, line);)
    if (const Json json = parse_json(line); json.at("kind").string() == "evaluate")
      values[json.at("step").integer()] = json.at(metric).number();
  return values;
}

std::vector<Index> steps_of(const comm::Communicator& comm, const train::Job& job) {
  std::vector<Index> steps;
  for (const store::Checkpoint& checkpoint : parallel_io::CheckpointFolder(comm, job.checkpoint_folder()).list())
    steps.push_back(checkpoint.step);
  return steps;
}

/// Returns a job that overfits: few samples, many epochs and a learning rate so high that evaluations soon get worse.
train::Job overfitting(const std::string& folder) {
  train::Job job = small_job(folder);
  job.checkpoint.resume = "auto";
  job.checkpoint.keep = 1;
  job.checkpoint.keep_best = true;
  job.train.epochs = 6;
  job.optimizer.dense.lr = job.optimizer.sparse.lr = 0.6;
  job.evaluate.every_steps = 2;
  job.evaluate.monitor = "log_loss";
  return job;
}

}  // namespace

TEST_CASE("checkpoint.keep_best: keeps the best checkpoint and the newest through signals and restarts") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "best");
  train::Job job = overfitting(folder.path());
  const train::TrainResult stopped = run_to_signal(world, job, 5);
  REQUIRE(stopped.signal != 0);
  const train::TrainResult result = run(world, job);
  world.barrier();
  const auto values = evaluations(job, "log_loss");
  REQUIRE(values.size() == 12);
  const auto best =
      std::min_element(values.begin(), values.end(), [](const auto& a, const auto& b) { return a.second < b.second; });
  REQUIRE(best->first < 24);  // otherwise the job does not overfit, and the test sees nothing
  REQUIRE(result.best);
  CHECK(result.best->metric == "log_loss");
  CHECK(result.best->step == best->first);
  CHECK(result.best->value == best->second);
  CHECK(steps_of(world, job) == std::vector<Index>{24, best->first});
  CHECK(result.best_checkpoint == parallel_io::find_checkpoint(world, folder.path() + "/best"));
  const train::TrainedModel named = train::open_trained(world, job, folder.path() + "/checkpoints/best");
  CHECK(store::attribute<std::int64_t>(named.attributes, "step", "it") == best->first);
  // The checkpoint that a run began with stays the best if no later evaluation is better.
  train::Job other = job;
  other.run.output = folder.path() + "/other";
  other.checkpoint.resume = folder.path() + "/best";
  other.train.steps = best->first + 2;
  other.optimizer.dense.lr = other.optimizer.sparse.lr = 3;
  const train::TrainResult worse = run(world, other);
  CHECK(worse.best->step == best->first);
  CHECK(steps_of(world, other) == std::vector<Index>{best->first + 2, best->first});
  // A new run has no best checkpoint.
  job.checkpoint.resume = "never";
  job.checkpoint.keep_best = false;
  job.train.steps = 1;
  run(world, job);
  CHECK(mentions(error_of([&] { parallel_io::find_checkpoint(world, folder.path() + "/best"); }),
                 "there is no best checkpoint"));
}

TEST_CASE("evaluate.patience: ends a run and keeps it ended when it is started again") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "patience");
  train::Job job = overfitting(folder.path() + "/whole");
  job.train.epochs = 60;
  job.evaluate.patience = 2;
  const train::TrainResult result = run(world, job);
  REQUIRE(result.stopped == "patience");
  CHECK(result.steps == result.best->step + 4);
  const train::TrainResult again = run(world, job);
  CHECK(again.stopped == "patience");
  CHECK(again.steps == result.steps);
  CHECK(std::isnan(again.loss));
  CHECK(again.weights_digest == result.weights_digest);
  CHECK(again.evaluation->log_loss == result.evaluation->log_loss);

  // A run on other data in the same folder counts its patience and its best evaluation anew.
  train::Job next = job;
  next.data.synthetic.samples = 1200;
  next.checkpoint.accept = {"data"};
  next.train.epochs = 1;
  const train::TrainResult day = run(world, next);
  CHECK(day.steps == result.steps + 5);
  CHECK(day.best->step > result.steps);

  job.run.output = folder.path() + "/stopped";
  run_to_signal(world, job, int(result.best->step) + 2);  // one evaluation without a better one
  CHECK(run(world, job).weights_digest == result.weights_digest);
}
