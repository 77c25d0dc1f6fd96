// SPDX-License-Identifier: Apache-2.0
// A checkpoint and its data: columns agree by name and bytes by digest, for training and evaluation.
#include "catch.hpp"
#include "data/samples_file.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/data/columns.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>

using namespace tesserec;

namespace {

using Change = std::function<void(store::File&)>;

/// A folder with one.h5 and two.h5, which have the same samples. two.h5 has its columns in reverse order.
struct Files {
  Files(const comm::Communicator& world, const std::string& name) : comm(world), folder(world, name) {
    if (comm.rank() == 0) {
      std::filesystem::create_directories(folder.path());
      samples_file::packed(at("one.h5"), 0, 600);
      samples_file::packed_turned(at("two.h5"), 0, 600);
    }
    comm.barrier();
  }
  std::string at(const std::string& name) const { return folder.path() + "/" + name; }
  void replace(const std::string& name, const Change& change) const {
    comm.barrier();
    if (comm.rank() == 0) samples_file::packed(at(name), 0, 600, change);
    comm.barrier();
  }
  train::Job job() const {
    train::Job job = small_job(at("run"));
    job.data.synthetic = {};
    job.data.train = {at("one.h5")};
    job.data.evaluate = {at("one.h5")};
    job.checkpoint.resume = "auto";
    return job;
  }

  const comm::Communicator& comm;
  Folder folder;
};

/// Returns the log loss as `tesserec evaluate` computes it.
double log_loss(const comm::Communicator& comm, const train::Job& job) {
  const train::TrainedModel trained = train::open_trained(comm, job, "");
  train::FittedData fitted = train::fit_data(trained, job, train::open_source(comm, job, data::Use::evaluate));
  train::Session session(Exec(), comm, job, fitted.info);
  fitted.source->limit_rows(train::id_limits(session.model.tables().tables(), fitted.source->info()));
  train::restore_weights(session, trained);
  return train::evaluate(session, *fitted.source).log_loss;
}

void turn_a_label(store::File& file) {
  const std::uint8_t label = 1;  // of sample 4, where it was 0
  file.write("/labels", {4, 1}, &label);
}

}  // namespace

TEST_CASE("fit_data: a checkpoint's weights read columns in another order by name") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Files files(world, "columns");
  train::Job job = files.job();
  run(world, job);
  const double expected = log_loss(world, job);
  job.data.evaluate = {files.at("two.h5")};
  CHECK(log_loss(world, job) == expected);
  // A deck with tables has an order of its own, and features that no table reads do not matter.
  const auto spare = [](store::File& file) {
    file.set_attribute("/", "features", std::vector<std::string>{"low", "spare"});
  };
  job.tables.resize(1);
  job.tables[0].name = "low";
  job.run.output = files.at("one_table");
  run(world, [&] {
    train::Job single = job;
    single.data.evaluate = {files.at("one.h5")};
    return single;
  }());
  const double single_loss = log_loss(world, job);
  files.replace("spare.h5", spare);
  job.data.evaluate = {files.at("spare.h5")};
  CHECK(log_loss(world, job) == single_loss);

  // The place of a feature that no table reads does not matter either.
  job.tables[0].name = "high";
  job.run.output = files.at("behind");
  job.data.evaluate = {files.at("one.h5")};
  job.train.steps = 1;
  CHECK(run(world, job).steps == 1);
  job.train.steps = 2;
  CHECK(run(world, job).steps == 2);

  job = files.job();
  job.data.evaluate = {files.at("spare.h5")};
  CHECK(mentions(error_of([&] { log_loss(world, job); }),
                 "it lacks the feature \"high\"; it has the additional feature \"spare\""));
  files.replace("spare.h5", [](store::File& file) {
    file.set_attribute("/", "transforms", std::vector<std::string>{"log1p", "none"});
  });
  CHECK(log_loss(world, job) == expected);  // the checkpoint's data named no transforms
}

TEST_CASE("fit_data: a checkpoint's tables keep their rows and too many ids are an error") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Files files(world, "rows");
  train::Job job = files.job();
  run(world, job);
  const double expected = log_loss(world, job);
  job.data.evaluate = {files.at("rows.h5")};
  const auto rows = [&](Index low, Index high) {
    files.replace("rows.h5", [=](store::File& file) {
      file.set_attribute("/", "rows", std::vector<std::int64_t>{low, high});
    });
  };
  rows(600, 1);
  CHECK(log_loss(world, job) == expected);
  rows(1000, 1001);
  CHECK(mentions(error_of([&] { log_loss(world, job); }), "table high: "));
}

TEST_CASE("checkpoint.accept: training resumes only with the same bytes unless it has data") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Files files(world, "bytes");
  train::Job job = files.job();
  job.train.steps = 2;
  run(world, job);
  files.replace("one.h5", {});  // written again with the same bytes
  job.train.steps = 3;
  CHECK(run(world, job).steps == 3);

  files.replace("one.h5", turn_a_label);
  job.train.steps = 4;
  const std::string refusal = error_of([&] { run(world, job); });
  CHECK(mentions(refusal, "was made with other data than " + files.at("one.h5") + " has now (data_digest "));
  CHECK(mentions(refusal, "checkpoint.accept = [\"data\"]"));
  for (const char* accepted : {"model", "data.synthetic", "dat"}) {
    job.checkpoint.accept = {accepted};
    CHECK(error_of([&] { run(world, job); }) == refusal);
  }
  job.checkpoint.accept = {"data"};
  CHECK(run(world, job).steps == 4);
  job.checkpoint.accept.clear();
  job.train.steps = 5;
  CHECK(run(world, job).steps == 5);  // the newest checkpoint belongs to the accepted data

  job.checkpoint.accept = {"data.train"};
  job.data.train = job.data.evaluate = {files.at("two.h5")};
  CHECK(
      mentions(error_of([&] { run(world, job); }), "features high, low; dense features minus, plus, not features low"));
}

TEST_CASE("Training: evaluation data must have the columns in the order of the training data") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Files files(world, "evaluation");
  const train::Job job = files.job();
  const auto source = train::open_source(world, job, data::Use::train);
  train::Session session(Exec(), world, job, source->info());
  train::Job other = job;
  other.data.evaluate = {files.at("two.h5")};
  auto turned = train::open_source(world, other, data::Use::evaluate);
  CHECK(mentions(error_of([&] { train::Training(session, *source, turned.get()); }), "its columns in another order"));
  turned = data::in_order(std::move(turned), source->info());
  train::Training training(session, *source, turned.get());
  const double with_turned = train::train(training).evaluation->log_loss;
  CHECK(with_turned == log_loss(world, job));
}

TEST_CASE("checkpoint.accept: a run resumes with another dataset from its first batch on") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Files files(world, "days");
  if (world.rank() == 0) samples_file::packed(files.at("day2.h5"), 0, 400);
  world.barrier();
  train::Job job = files.job();
  job.train.steps = 0;
  job.train.epochs = 1;
  const train::TrainResult first = run(world, job);
  job.data.train = {files.at("day2.h5")};
  job.run.output = files.at("run2");
  job.checkpoint.resume = first.checkpoint;
  CHECK(mentions(error_of([&] { run(world, job); }),
                 "samples_per_epoch = 600, but this run has 400; give the same training data"));
  job.checkpoint.accept = {"data"};
  const train::TrainResult second = run(world, job);
  const Index batch = job.train.batch_size, day1 = (600 + batch - 1) / batch, day2 = (400 + batch - 1) / batch;
  CHECK(first.steps == day1);
  CHECK(second.steps == day1 + day2);
  CHECK(second.samples == 1000);
  // A run that stopped on the second day resumes there and has the same end.
  job.run.output = files.at("run3");
  job.train.steps = 1;
  CHECK(run(world, job).steps == day1 + 1);
  job.checkpoint.resume = "auto";
  job.train.steps = 0;
  job.checkpoint.accept.clear();
  const train::TrainResult third = run(world, job);
  CHECK(third.steps == second.steps);
  CHECK(third.weights_digest == second.weights_digest);
  CHECK(third.state_digest == second.state_digest);
}

TEST_CASE("fit_data: reads a checkpoint of an older program without names and digest") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Files files(world, "older");
  train::Job job = files.job();
  run(world, job);
  const double expected = log_loss(world, job);
  train::TrainedModel trained = train::open_trained(world, job, "");
  for (const char* name : {"features", "rows", "dense_names", "transforms"}) trained.attributes.erase(name);
  train::FittedData fitted = train::fit_data(trained, job, train::open_source(world, job, data::Use::evaluate));
  train::Session session(Exec(), world, job, fitted.info);
  train::restore_weights(session, trained);
  CHECK(train::evaluate(session, *fitted.source).log_loss == expected);
}
