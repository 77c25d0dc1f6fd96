// SPDX-License-Identifier: Apache-2.0
// Deltas are written beside training, and kept with the checkpoint that they continue.
#include <filesystem>

#include "delta_job.hpp"

using namespace tesserec;

TEST_CASE("deltas: a large one goes to the disk while training goes on, with the rows of its step") {
  if (left_out(59, 60)) return;  // it would take minutes
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "delta_large"), killed(world, "delta_large_killed"), exact(world, "delta_large_exact");
  train::Job job = delta_job(exact.path());
  job.data.synthetic.rows[0] = 40001;
  job.plan.kernel = embedding::ComputeKernel::dense;  // all rows move
  job.checkpoint.delta_seconds = 0;
  job.checkpoint.every_steps = 1;
  job.checkpoint.keep = 0x7fff;
  const Digests whole = train_job(world, job).digests;  // with a checkpoint of each step, to compare with
  job.checkpoint.every_steps = 0;
  job.checkpoint.keep = 2;
  job.run.output = folder.path();
  const auto source =
      data::make_source(job.data, data::Use::train, train::Session::deal(world, job, job.train.shuffle));
  job.checkpoint.delta_seconds = 1e9;
  {
    train::Session session(Exec(), world, job, source->info());
    train::Training training(session, *source, nullptr);
    const std::string two = delta_of(folder.path(), 2);
    REQUIRE(training.step());
    training.save_delta();  // a checkpoint, because there is none
    REQUIRE(training.step());
    training.save_delta();
    CHECK(!fs::exists(two));  // it has no name before finish_delta() or a step that finds it on the disk
    REQUIRE(training.step());
    REQUIRE(training.step());
    training.finish_delta(true);
    CHECK(fs::exists(two));
    training.save_delta();
    training.finish_delta(true);
    world.barrier();
    if (world.rank() == 0) fs::copy(folder.path(), killed.path(), fs::copy_options::recursive);
    world.barrier();
    CHECK(store::read_manifest(delta_of(folder.path(), 4)).continues->step == 2);
    REQUIRE(training.step());
    training.save_delta();
    CHECK(fs::exists(training.save()));  // waits for the delta, whose draft it would remove
    while (training.step()) continue;
    training.finish();
  }
  const auto weights = [&](const std::string& state) { return store::read_manifest(state).datasets; };
  const auto of_delta = weights(delta_of(killed.path(), 2)),
             of_checkpoint = weights(exact.path() + "/checkpoints/step_000000002");
  job.run.output = killed.path();
  const Resumed resumed = train_job(world, job);
  CHECK(resumed.step == 4);
  CHECK(resumed.deltas == 2);
  CHECK(resumed.digests == whole);
  for (const char* name : {"tables/C1/weight", "dense/top.0.weight/value"})
    CHECK(of_delta.at(name) == of_checkpoint.at(name));
}

TEST_CASE("deltas: one that failed is dropped, and the next state is a checkpoint") {
  if (left_out(59, 60)) return;  // it would take minutes
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "delta_failed");
  train::Job job = delta_job(folder.path());
  job.data.synthetic.rows[0] = 40001;
  job.plan.kernel = embedding::ComputeKernel::dense;  // all rows move, so that the delta is written beside training
  job.checkpoint.delta_seconds = 1e9;
  const auto source =
      data::make_source(job.data, data::Use::train, train::Session::deal(world, job, job.train.shuffle));
  train::Session session(Exec(), world, job, source->info());
  train::Training training(session, *source, nullptr);
  REQUIRE(training.step());
  training.save_delta();  // a checkpoint, because there is none
  REQUIRE(training.step());
  training.save_delta();
  world.barrier();
  if (world.rank() == 0) fs::rename(delta_of(folder.path(), 2) + ".tmp", folder.path() + "/gone");
  world.barrier();
  CHECK(!error_of([&] { training.finish_delta(true); }).empty());
  REQUIRE(training.step());
  training.save_delta();
  CHECK(!fs::exists(delta_of(folder.path(), 2)));
  CHECK(!fs::exists(delta_of(folder.path(), 3)));
  CHECK(store::read_manifest(folder.path() + "/checkpoints/step_000000003").step == 3);
  REQUIRE(training.step());
  training.save_delta();
  training.finish_delta(true);
  CHECK(store::read_manifest(delta_of(folder.path(), 4)).continues->step == 3);
}

TEST_CASE("checkpoint.keep_deltas: deltas stay as long as the checkpoint that they continue") {
  if (left_out(59, 60)) return;  // it would take minutes
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "delta_kept"), killed(world, "delta_kept_killed");
  train::Job job = delta_job(folder.path());
  job.checkpoint.keep_deltas = true;
  job.checkpoint.keep = 2;
  job.checkpoint.every_steps = 4;  // of 8
  const Digests whole = train_job(world, job, 6, killed.path()).digests;
  const auto steps = [&](const train::Job& of) {
    std::vector<Index> steps;
    for (const store::Checkpoint& delta : parallel_io::CheckpointFolder(world, of.checkpoint_folder()).deltas())
      steps.push_back(delta.step);
    return steps;
  };
  CHECK(steps(job) == std::vector<Index>{5, 6, 7});  // those of steps 2 and 3 went with the checkpoint of step 1
  job.run.output = killed.path();
  CHECK(steps(job) == std::vector<Index>{2, 3, 5, 6});
  const Resumed resumed = train_job(world, job);
  CHECK(resumed.step == 6);
  CHECK(resumed.deltas == 2);
  CHECK(resumed.digests == whole);
  CHECK(steps(job) == std::vector<Index>{5, 6, 7});
  job.checkpoint.keep = 1;
  job.train.epochs = 3;
  CHECK(train_job(world, job).step == 8);
  CHECK(steps(job).empty());
}
