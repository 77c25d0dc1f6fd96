// SPDX-License-Identifier: Apache-2.0
// Training from a user's view: step by step, with the caller's evaluations, checkpoints and observers.
#include <csignal>
#include <fstream>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/comm/agree.hpp>
#include <tesserec/core/json.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>

using namespace tesserec;

namespace {

/// The sources and the session of a job, as a program makes them.
struct Made {
  Made(const comm::Communicator& comm, const train::Job& job)
      : source(data::make_source(job.data, data::Use::train, train::Session::deal(comm, job, job.train.shuffle))),
        evaluation(data::make_source(job.data, data::Use::evaluate, train::Session::deal(comm, job, false))),
        session(Exec(), comm, job, source->info()) {}
  std::unique_ptr<data::Source> source, evaluation;
  train::Session session;
};

/// Returns the lines of metrics.jsonl without the figures of a clock.
std::vector<std::string> timeless_lines(const train::Job& job) {
  std::vector<std::string> lines;
  std::ifstream file(job.run.output + "/metrics.jsonl");
  for (std::string line; std::getline(file, line);) {
    const Json json = parse_json(line);
    std::string text;
    for (const char* name : {"step", "samples", "loss", "lr", "auc", "lifetime_ne", "window_ne"})
      if (json.has(name)) text += concat(name, " ", json.at(name).text(), " ");
    lines.push_back(json.at("kind").string() + " " + text);
  }
  return lines;
}

bool have_same_bits(const train::TrainResult& a, const train::TrainResult& b) {
  return a.weights_digest == b.weights_digest && a.state_digest == b.state_digest;
}

/// An observer that ends a training after a step.
class StopsAt final : public train::Observer {
 public:
  explicit StopsAt(Index step) : step_(step) {}
  void stepped(train::Training& training) override {
    if (training.position().step == step_) training.stop("enough");
  }

 private:
  Index step_;
};

/// An observer that records the events of a training.
class Events final : public train::Observer {
 public:
  explicit Events(std::string name, std::vector<std::string>& all) : name_(std::move(name)), all_(all) {}
  void begins(train::Training& training) override { add("begins", training); }
  void steps(train::Training& training) override { add("steps", training); }
  void stepped(train::Training& training) override { add("stepped", training); }
  void evaluates(train::Training& training) override { add("evaluates", training); }
  void evaluated(train::Training& training, const metrics::BinaryMetrics& metrics) override {
    CHECK(metrics.auc == training.so_far().evaluation->auc);
    add("evaluated", training);
  }
  void saved(train::Training& training, double) override { add("saved", training); }
  void ends(train::Training& training, train::TrainResult&) override { add("ends", training); }

 private:
  void add(const char* event, const train::Training& training) {
    all_.push_back(concat(name_, " ", event, " ", training.position().step));
  }
  std::string name_;
  std::vector<std::string>& all_;
};

}  // namespace

TEST_CASE("Training: step by step has the bits and files and result of train()") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "training");
  train::Job job = small_job(folder.path() + "/loop");
  job.train.log_every = 3;
  job.train.metrics = {"ne"};
  const train::TrainResult expected = run(world, job);

  train::Job own = job;
  own.run.output = folder.path() + "/own";
  Made made(world, own);
  train::Training training(made.session, *made.source, made.evaluation.get());
  REQUIRE(training.position().step == 0);
  REQUIRE(training.length().last == 8);
  Index steps = 0;
  while (training.step()) REQUIRE(training.position().step == ++steps);
  CHECK(steps == 8);
  CHECK(training.is_over());
  CHECK_FALSE(training.step());
  CHECK(training.position().step == 8);
  const train::TrainResult result = training.finish();
  CHECK(have_same_bits(result, expected));
  CHECK(result.loss == expected.loss);
  CHECK(result.stopped.empty());
  CHECK(result.evaluation->auc == expected.evaluation->auc);
  CHECK(result.steps == 8);
  CHECK(result.samples == expected.samples);
  world.barrier();
  CHECK(timeless_lines(own) == timeless_lines(job));
  CHECK(timeless_lines(own).size() == 4);  // steps 3, 6 and 8; the evaluation
  CHECK(mentions(timeless_lines(own).front(), "window_ne"));
}

TEST_CASE("Training: evaluate() and save() between steps change no bits and are not made twice") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "between");
  train::Job job = small_job(folder.path() + "/plain");
  const train::TrainResult expected = run(world, job);

  job.run.output = folder.path() + "/looked_at";
  std::vector<std::string> events;
  Events observer("", events);
  Made made(world, job);
  train::Training training(made.session, *made.source, made.evaluation.get(), {&observer});
  CHECK(training.save() != "");
  std::vector<double> aucs;
  do aucs.push_back(training.evaluate()->auc);
  while (training.step());
  CHECK(aucs.size() == 9);
  CHECK(aucs.front() != aucs.back());
  CHECK(training.so_far().evaluation_step == 8);
  const std::string saved = training.save();
  CHECK(training.save() == saved);
  const train::TrainResult result = training.finish();
  CHECK(have_same_bits(result, expected));
  CHECK(result.checkpoint == saved);
  CHECK(result.evaluation->auc == expected.evaluation->auc);
  CHECK(aucs.back() == expected.evaluation->auc);
  CHECK(std::count_if(events.begin(), events.end(), [](const auto& e) { return e.starts_with(" saved"); }) == 2);
  CHECK(std::count_if(events.begin(), events.end(), [](const auto& e) { return e.starts_with(" evaluated"); }) == 9);
}

TEST_CASE("Training: resumes after save() with the same bits on another number of ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "left");
  train::Job job = small_job(folder.path() + "/whole");
  const train::TrainResult expected = run(world, job);

  job.run.output = folder.path() + "/left";
  job.checkpoint.resume = "auto";
  {
    Made made(world, job);
    train::Training training(made.session, *made.source, made.evaluation.get());
    for (int s = 0; s < 3; ++s) REQUIRE(training.step());
    training.save();
    training.step();  // lost
  }
  const int ranks = world.size() / 2 + 1;
  const comm::Communicator group(world, world.rank() < ranks ? 0 : 1);
  if (world.rank() < ranks) {
    Made made(group, job);
    train::Training training(made.session, *made.source, made.evaluation.get());
    CHECK(training.position().step == 3);
    CHECK(training.position().is_own);
    const train::TrainResult result = train::train(training);
    CHECK(result.steps == 8);
    CHECK(have_same_bits(result, expected));
  }
  world.barrier();
  // A training that has ended has no step left.
  Made made(world, job);
  train::Training ended(made.session, *made.source, made.evaluation.get());
  CHECK(ended.is_over());
  CHECK_FALSE(ended.step());
  CHECK(have_same_bits(ended.finish(), expected));
}

TEST_CASE("Training: finish() fails on all ranks if a row of 16 bits has become infinite") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "infinite");
  train::Job job = small_job(folder.path());
  job.checkpoint.keep = 0;  // a checkpoint would refuse the row before the end
  job.model.table_format = NumberType::fp16;
  Made made(world, job);
  train::Training training(made.session, *made.source, nullptr);
  while (training.step()) continue;
  const std::string last_digest = train::weights_digest(made.session);
  for (const auto& shard : made.session.model.tables().shards()) {
    if (shard.table != 0 || shard.rows->rows().end != 3001) continue;
    const std::vector<float> row(std::size_t(shard.rows->columns().size()), 1e6f);  // beyond fp16's 65504
    shard.rows->store().write(made.session.exec, 0, {3000, 3001}, row.data());
  }
  CHECK(train::weights_digest(made.session) != last_digest);
  const std::string message = error_of([&] { training.finish(); });
  CHECK(mentions(message, "C1"));
  CHECK(mentions(message, "lower the learning rate, or set table_format to fp32"));
}

TEST_CASE("Observer: observers nest and hear all events and may save") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "events");
  train::Job job = small_job(folder.path());
  job.train.steps = 2;
  class Saves final : public train::Observer {
    void stepped(train::Training& training) override {
      if (training.position().step == 1) training.save();
    }
  } saves;
  std::vector<std::string> events;
  Events outer("outer", events), inner("inner", events);
  Made made(world, job);
  train::Training training(made.session, *made.source, made.evaluation.get(), {&outer, &saves, &inner});
  train::train(training);
  CHECK(events == std::vector<std::string>{"outer begins 0",    "inner begins 0",                          //
                                           "outer steps 0",     "inner steps 0",                           //
                                           "inner stepped 1",   "inner saved 1",     "outer saved 1",      //
                                           "outer stepped 1",                                              //
                                           "outer steps 1",     "inner steps 1",                           //
                                           "inner stepped 2",   "outer stepped 2",                         //
                                           "inner saved 2",     "outer saved 2",                           //
                                           "outer evaluates 2", "inner evaluates 2", "inner evaluated 2",  //
                                           "outer evaluated 2", "inner ends 2",      "outer ends 2"});
}

TEST_CASE("Observer: stop() writes a checkpoint without an evaluation and the next training resumes") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "stops");
  train::Job job = small_job(folder.path());
  const train::TrainResult expected = run(world, job);

  job.run.output = folder.path() + "/stopped";
  job.checkpoint.resume = "auto";
  StopsAt stops(5);
  {
    Made made(world, job);
    train::Training training(made.session, *made.source, made.evaluation.get(), {&stops});
    const train::TrainResult result = train::train(training);
    CHECK(result.stopped == "enough");
    CHECK(result.signal == 0);
    CHECK(result.steps == 5);
    CHECK_FALSE(result.evaluation);
    CHECK(result.checkpoint == parallel_io::find_checkpoint(world, job.run.output));
    CHECK_FALSE(training.step());
  }
  Made made(world, job);
  train::Training training(made.session, *made.source, made.evaluation.get(), {&stops});
  CHECK(training.position().step == 5);
  const train::TrainResult result = train::train(training);
  CHECK(result.steps == 8);
  CHECK(result.stopped.empty());
  CHECK(have_same_bits(result, expected));
}

TEST_CASE("Training: the first reason to stop stands") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "reasons");
  train::Job job = small_job(folder.path());
  Made made(world, job);
  StopsAt stops(2);
  train::Training training(made.session, *made.source, made.evaluation.get(), {&stops});
  training.step();
  if (world.rank() == world.size() - 1) std::raise(SIGUSR1);
  training.step();  // the caller's observers hear of it first
  training.stop("later");
  const train::TrainResult result = training.finish();
  CHECK(result.stopped == "enough");
  CHECK(result.signal == 0);
}

TEST_CASE("Observer: an Error of one rank is thrown on all and the training resumes later") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "observer_error");
  train::Job job = small_job(folder.path());
  const train::TrainResult expected = run(world, job);

  job.run.output = folder.path() + "/broken";
  job.checkpoint.resume = "auto";
  job.checkpoint.every_steps = 2;
  class Fails final : public train::Observer {
    void stepped(train::Training& training) override {
      const comm::Communicator& comm = training.session().comm;
      comm::agree(comm, [&] {
        if (comm.rank() == comm.size() - 1 && training.position().step == 5) fail("no space for deltas");
      });
    }
  } fails;
  {
    Made made(world, job);
    train::Training training(made.session, *made.source, made.evaluation.get(), {&fails});
    CHECK(error_of([&] { train::train(training); }) == "no space for deltas");
    CHECK(training.position().step == 5);
  }
  Made made(world, job);
  train::Training training(made.session, *made.source, made.evaluation.get());
  CHECK(training.position().step == 4);
  CHECK(have_same_bits(train::train(training), expected));
}
