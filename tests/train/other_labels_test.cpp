// SPDX-License-Identifier: Apache-2.0
// Runs that resume with other labels.
#include "catch.hpp"
#include "labels_job.hpp"

using namespace tesserec;

TEST_CASE("train.metrics: start anew if a run resumes with other labels") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "other_labels");
  for (const bool one : {true, false}) {
    CAPTURE(one);
    train::Job now = labels_job(folder.path() + (one ? "/one" : "/turned"), 0.0), before = now;
    now.train.window = before.train.window = 1;
    before.data.synthetic.labels.names = before.model.tasks = {"buy", "click", "like"};
    if (one) {
      before.data.synthetic.labels.names = before.model.tasks = {};
      before.data.synthetic.labels.rates = before.model.loss_settings.task_weights = {};
      before.model.top.back() = 1;
    }
    before.train.steps = 4;
    run(world, before);
    now.train.steps = 5;
    now.checkpoint.resume = "auto";
    now.checkpoint.accept = {"model"};
    run(world, now);
    world.barrier();
    const std::string lines = step_lines(now.run.output);
    const auto last_of = [&](const std::string& name) {
      const std::size_t at = lines.rfind("\"" + name + "\": ");
      REQUIRE(at != std::string::npos);
      return std::stod(lines.substr(at + name.size() + 4));
    };
    for (const std::string& task : now.model.tasks)
      CHECK(last_of(task + ".lifetime_log_loss") == last_of(task + ".window_log_loss"));
    world.barrier();
  }
}

TEST_CASE("checkpoint.keep_best: looks anew for the best evaluation by another evaluate.task") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "other_task");
  train::Job job = labels_job(folder.path(), 0.0);
  job.evaluate.every_steps = 2;
  job.checkpoint.keep_best = true;
  job.train.steps = 4;
  const train::TrainResult mean = run(world, job);
  REQUIRE(mean.best);
  CHECK(mean.best->metric == "auc");
  job.train.steps = 6;
  job.checkpoint.resume = "auto";
  job.evaluate.task = "buy";
  const train::TrainResult buy = run(world, job);
  REQUIRE(buy.best);
  CHECK(buy.best->metric == "buy.auc");
  CHECK(buy.best->step == 6);
  CHECK(buy.best->value == buy.evaluation->tasks[2].auc);
}
