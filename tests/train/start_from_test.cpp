// SPDX-License-Identifier: Apache-2.0
// checkpoint.start_from, checkpoint.resume and checkpoint.accept: runs that begin with the checkpoint of another run
// whose model differs.
#include <csignal>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/checkpoint.hpp>

using namespace tesserec;

namespace {

/// Returns the numbers of a matrix in the newest checkpoint of a run.
std::vector<float> saved(const comm::Communicator& comm, const train::Job& job, const std::string& name) {
  return parallel_io::open_checkpoint(comm, parallel_io::find_checkpoint(comm, job.run.output))
      .state.read_all<float>(name);
}

/// Returns whether `many` begins with `few`, which is not empty.
bool begins_with(const std::vector<float>& many, const std::vector<float>& few) {
  return !few.empty() && few.size() <= many.size() && std::equal(few.begin(), few.end(), many.begin());
}

train::Job resuming(const std::string& folder) {
  train::Job job = small_job(folder);
  job.checkpoint.resume = "auto";
  job.run.overwrite = false;
  return job;
}

}  // namespace

TEST_CASE("checkpoint.start_from: takes weights of another run and larger tables keep fresh rows") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "start_from");
  train::Job first = resuming(folder.path() + "/first");
  first.optimizer.sparse.type = optim::Type::rowwise_adagrad;
  first.train.steps = 3;
  run(world, first);

  train::Job second = first;
  second.run.output = folder.path() + "/second";
  second.data.synthetic.rows = {3301, 7, 500};
  second.checkpoint.start_from = first.run.output;
  second.checkpoint.start_states = true;
  second.train.steps = 1;
  second.optimizer.dense.lr = second.optimizer.sparse.lr = 0;  // the weights stay those of the start
  const train::TrainResult result = run(world, second);
  CHECK(result.steps == 1);
  const std::vector<float> table = saved(world, second, "tables/C1/weight");
  CHECK(table.size() == 3301 * 6);
  CHECK(begins_with(table, saved(world, first, "tables/C1/weight")));
  CHECK(std::any_of(table.begin() + 3001 * 6, table.end(), [](float number) { return number != 0.0f; }));
  CHECK(saved(world, second, "dense/top.0.weight/value") == saved(world, first, "dense/top.0.weight/value"));
  CHECK(saved(world, second, "tables/C2/row_sum") != std::vector<float>(7));
  second.train.steps = 4;  // its own checkpoint has priority
  second.optimizer.sparse.lr = 0.1;
  CHECK(run(world, second).steps == 4);
  train::Job third = second;
  third.run.output = folder.path() + "/third";
  CHECK(digests(world, third) == digests_alone(world, third));

  third.optimizer.dense.type = optim::Type::adam;
  third.run.output += "_adam";
  CHECK(mentions(error_of([&] { run(world, third); }), "states of adam depend on the number of steps"));
}

TEST_CASE("checkpoint.accept: takes the matrices that fit and initializes the others as in a new run") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "accept");
  train::Job first = resuming(folder.path() + "/first");
  first.train.steps = 3;
  run(world, first);
  train::Job second = first;
  second.run.output = folder.path() + "/second";
  second.checkpoint.resume = first.run.output;
  second.model.top = {24, 1};
  CHECK(mentions(error_of([&] { run(world, second); }), "dense/top.0.bias/value (20 x 1, here 24 x 1)"));
  second.checkpoint.accept = {"model"};
  CHECK(run(world, second).steps == 3);  // the same command again has nothing to do
  second.train.steps = 5;
  CHECK(run(world, second).steps == 5);
  train::Job third = second;
  third.run.output = folder.path() + "/third";
  third.data.synthetic.rows = {3001, 5, 500};
  third.optimizer.dense.type = optim::Type::adam;
  CHECK(
      mentions(error_of([&] { run(world, third); }), "start the matrices that do not fit anew with checkpoint.accept"));
  third.checkpoint.accept = {"model", "table", "optimizer"};
  const Digests ends = digests(world, third);
  CHECK(ends == digests_alone(world, third));
}

TEST_CASE("checkpoint.resume: the command that gave a path resumes from the run's own checkpoint") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "origin");
  train::Job first = resuming(folder.path() + "/first");
  first.train.steps = 2;
  run(world, first);
  train::Job second = first;
  second.train.steps = 0;
  second.checkpoint.resume = first.run.output + "/checkpoints/step_000000002";
  second.run.output = folder.path() + "/whole";
  const Digests whole = digests(world, second);

  second.run.output = folder.path() + "/stopped";
  const train::TrainResult stopped = run_to_signal(world, second, 3);
  CHECK(stopped.signal == SIGUSR1);
  CHECK(stopped.steps > 2);
  const train::TrainResult result = run(world, second);
  CHECK(result.steps == 8);
  CHECK(Digests{result.weights_digest, result.state_digest} == whole);
  // Resuming from another checkpoint is another run, which would replace these checkpoints.
  first.run.output = folder.path() + "/other";
  first.train.steps = 1;
  run(world, first);
  second.checkpoint.resume = first.run.output;
  CHECK(
      mentions(error_of([&] { run(world, second); }), "holds checkpoints up to step 8, which a run that resumes from"));
}
