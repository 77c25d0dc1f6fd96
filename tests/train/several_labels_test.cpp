// SPDX-License-Identifier: Apache-2.0
// Training on samples with several labels, of which some lack.
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include "labels_job.hpp"
#include <tesserec/data/labels.hpp>
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/evaluate.hpp>

using namespace tesserec;

namespace {

std::unique_ptr<data::Source> source_of(const comm::Communicator& comm, const train::Job& job, data::Use use) {
  return data::make_source(job.data, use, train::Session::deal(comm, job, use == data::Use::train));
}

}  // namespace

TEST_CASE("Training: several labels give the same bits on any ranks, kernels' threads and restarts") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "several_labels");
  for (const double missing : {0.0, 0.4}) {
    CAPTURE(missing);
    train::Job job = labels_job(folder.path() + "/world", missing);
    job.checkpoint.every_steps = 3;
    const train::TrainResult whole = run(world, job);
    const std::string lines = step_lines(job.run.output);
    CHECK(whole.weights_digest == digests_alone(world, job).weights);
    REQUIRE(whole.evaluation);
    CHECK(whole.evaluation->task_names == job.model.tasks);
    for (const metrics::BinaryMetrics& task : whole.evaluation->tasks)
      CHECK((task.samples == 300) == (missing == 0.0 || &task == &whole.evaluation->tasks[0]));

    // The metrics of the training samples go on where the checkpoint has them.
    job.train.steps = 4;
    run(world, job);
    job.train.steps = 0;
    job.checkpoint.resume = "auto";
    CHECK(run(world, job).weights_digest == whole.weights_digest);
    world.barrier();
    CHECK(step_lines(job.run.output) == lines);
    CHECK(mentions(lines, "\"buy.lifetime_log_loss\""));
    world.barrier();
  }
}

TEST_CASE("TrainStep: the loss is the weighted sum of the means over the samples that have each label") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const train::Job job = labels_job("", 0.4);
  const auto source = source_of(world, job, data::Use::train);
  train::Session session(Exec(), world, job, source->info());
  session.step.keep_predictions();
  data::Batch batch{Exec()};
  for (Index step = 1; step <= 3 && source->next(batch); ++step) {
    std::vector<float> labels(batch.labels.data(), batch.labels.data() + batch.size * 3);
    train::PipelinedBatch now{batch, {}};
    const double loss = session.step(now, nullptr, step);
    labels = world.all_gather(std::span<const float>(labels));
    const std::vector<float> scores = world.all_gather(std::span<const float>(session.step.predictions()));
    REQUIRE(scores.size() == labels.size());
    double expected = 0;
    for (std::size_t t = 0; t < 3; ++t) {
      double sum = 0, count = 0;
      for (std::size_t i = t; i < labels.size(); i += 3) {
        if (std::isnan(labels[i])) continue;
        sum -= std::log(labels[i] > 0 ? double(scores[i]) : 1.0 - double(scores[i]));
        ++count;
      }
      REQUIRE((count < double(labels.size()) / 3) == (t > 0));
      expected += job.model.loss_settings.task_weights[t] * sum / count;
    }
    CHECK(loss == Approx(expected).epsilon(1e-5));
  }
}

TEST_CASE("TrainStep: a label that no sample of a batch has adds nothing") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const train::Job job = labels_job("", 0.4);
  const auto source = source_of(world, job, data::Use::train);
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  train::Job without = job;  // the same loss without that label
  without.model.loss_settings.task_weights[1] = 0;
  std::vector<double> losses;
  std::vector<std::string> digests;
  for (const train::Job& one : {job, without}) {
    train::Session session(Exec(), world, one, source->info());
    if (losses.empty())
      for (Index b = 0; b < batch.size; ++b) batch.labels(3 * b + 1) = std::nanf("");
    else
      for (Index b = 0; b < batch.size; ++b) batch.labels(3 * b + 1) = float(b % 2);
    train::PipelinedBatch now{batch, {}};
    losses.push_back(session.step(now, nullptr, 1));
    digests.push_back(train::weights_digest(session));
  }
  CHECK(losses[0] == losses[1]);
  CHECK(std::isfinite(losses[0]));
  CHECK(digests[0] == digests[1]);
}

TEST_CASE("Training: micro-batches give the bits of one batch, and refuse labels that lack") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "label_batches");
  train::Job job = labels_job(folder.path() + "/run", 0.0);
  const Digests whole = digests(world, job);
  job.train.batch_size = 128;
  job.train.accumulate = 2;
  CHECK(digests(world, job) == whole);
  job.data.synthetic.labels.missing = 0.4;
  CHECK(mentions(error_of([&] { run(world, job); }),
                 "samples lack the label like, whose mean needs all samples of a step at once"));
}

TEST_CASE("Training: one of several labels gives the bits of data that have it alone") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "one_label");
  train::Job job = labels_job(folder.path() + "/one", 0.0);
  job.model.tasks = {"click"};
  job.model.loss_settings.task_weights = {};
  job.model.top.back() = 1;
  const auto chosen = data::with_labels(source_of(world, job, data::Use::train), job.model.tasks);
  const auto evaluation = data::with_labels(source_of(world, job, data::Use::evaluate), job.model.tasks);
  train::Session session(Exec(), world, job, chosen->info());
  train::Training training(session, *chosen, evaluation.get());
  const train::TrainResult one = train::train(training);
  job.run.output = folder.path() + "/alone";
  job.model.tasks = {};
  job.data.synthetic.labels.names = {};
  job.data.synthetic.labels.rates = {};
  job.data.synthetic.click_rate = 0.3;
  const train::TrainResult alone = run(world, job);
  CHECK(one.weights_digest == alone.weights_digest);
  CHECK(one.evaluation->auc == alone.evaluation->auc);
}

TEST_CASE("evaluate: computes each label's metrics over the samples that have it") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = labels_job("", 0.4);
  const auto source = source_of(world, job, data::Use::evaluate);
  train::Session session(Exec(), world, job, source->info());
  const metrics::BinaryMetrics all = train::evaluate(session, *source);
  std::vector<std::vector<double>> scores(3);
  std::vector<std::vector<float>> labels(3);
  data::Batch batch{Exec()};
  for (source->seek(0, 0); source->next(batch);) {
    std::vector<float> probabilities(batch.size * 3);
    session.step.predict(batch, probabilities.data());
    for (Index i = 0; i < batch.size * 3; ++i) {
      if (std::isnan(batch.labels(i))) continue;
      scores[i % 3].push_back(probabilities[i]);
      labels[i % 3].push_back(batch.labels(i));
    }
  }
  double auc = 0;
  for (std::size_t t = 0; t < 3; ++t) {
    const metrics::BinaryMetrics expected = metrics::binary_metrics(world, scores[t], labels[t]);
    CHECK(all.tasks[t].auc == expected.auc);
    CHECK(all.tasks[t].log_loss == expected.log_loss);
    CHECK(all.tasks[t].samples == expected.samples);
    CHECK(all.tasks[t].samples == world.sum(std::ssize(labels[t])));
    auc += expected.auc;
  }
  CHECK(all.samples == 300);
  CHECK(all.auc == auc / 3);
  session.job.evaluate.task = "buy";
  CHECK(train::evaluate(session, *source).auc == all.tasks[2].auc);
}

TEST_CASE("Session: refuses data with other labels than the model's") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = labels_job("", 0.0);
  const data::SourceInfo info = source_of(world, job, data::Use::train)->info();
  job.model.tasks = {};
  job.model.top.back() = 1;
  job.model.loss_settings.task_weights = {};
  CHECK(mentions(error_of([&] { train::Session(Exec(), world, job, info); }),
                 "has 3 labels per sample, but the model learns 1"));
}

TEST_CASE("evaluate: refuses sources with other labels than the model's") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = labels_job("", 0.4), two = job;
  const auto source = source_of(world, job, data::Use::evaluate);
  two.model.tasks = {"like", "buy"};
  two.model.loss_settings.task_weights = {};
  two.model.top.back() = 2;
  two.evaluate.metrics = {"candidate_recall"};
  const auto both = data::with_labels(source_of(world, two, data::Use::evaluate), two.model.tasks);
  train::Session of_both(Exec(), world, two, both->info());
  CHECK(mentions(error_of([&] { train::evaluate(of_both, *source); }),
                 "has 3 labels per sample, but the model learns 2; choose"));
  CHECK(mentions(error_of([&] { train::predict(of_both, *source, "unwritten.h5"); }),
                 "has 3 labels per sample, but the model learns 2; choose"));
  CHECK(mentions(error_of([&] { train::evaluate(of_both, *both); }),
                 "candidate_recall, which needs a model of one label, but model.tasks has like, buy"));

  job.model.tasks = {"like"};
  job.model.loss_settings.task_weights = {};
  job.model.top.back() = 1;
  const auto like = data::with_labels(source_of(world, job, data::Use::evaluate), job.model.tasks);
  train::Session session(Exec(), world, job, like->info());
  CHECK(mentions(error_of([&] { train::evaluate(session, *like); }),
                 "samples lack the label like, the only one that the model learns; leave these samples out"));
}

TEST_CASE("TrainStep: a batch with other labels on one rank is the same Error on all") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const train::Job job = labels_job("", 0.4);
  const auto source = source_of(world, job, data::Use::train);
  train::Session session(Exec(), world, job, source->info());
  data::Batch batch{Exec()};
  REQUIRE(source->next(batch));
  if (world.rank() + 1 == world.size()) batch.tasks = 1;
  train::PipelinedBatch now{batch, {}};
  CHECK(mentions(error_of([&] { session.step(now, nullptr, 1); }),
                 "another number of labels per sample than the 3 that the model learns"));
}
