// SPDX-License-Identifier: Apache-2.0
// window_ and lifetime_ values of metrics.jsonl: the samples that they cover, on any number of ranks and over a
// restart.
#include <filesystem>
#include <fstream>

#include "catch.hpp"
#include "small_job.hpp"
#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/running_metrics.hpp>

using namespace tesserec;

namespace {

using Line = std::vector<std::pair<std::string, double>>;

/// Returns the lines of metrics.jsonl without rate and time.
std::vector<std::string> lines(const std::string& folder) {
  std::ifstream file(folder + "/metrics.jsonl");
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) {
    for (const char* const name : {", \"samples_per_second\": ", ", \"time\": "})
      if (const auto at = line.find(name); at != std::string::npos)
        line.erase(at, line.find_first_of(",}", at + 1) - at);
    all.push_back(line);
  }
  return all;
}

double number(const std::string& line, const std::string& name) {
  const auto at = line.find("\"" + name + "\": ");
  INFO(line);
  REQUIRE(at != std::string::npos);
  return std::stod(line.substr(at + name.size() + 4));
}

train::Job job_with_metrics(const std::string& folder) {
  train::Job job = small_job(folder);
  job.train.log_every = 2;
  job.train.metrics = {"ne", "calibration", "ctr", "mse", "log_loss"};
  job.train.window = 2;
  job.checkpoint.resume = "auto";
  return job;
}

}  // namespace

TEST_CASE("RunningMetrics: a window spans the last lines and the lifetime all lines on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const std::vector<float> p = {0.1f, 0.9f, 0.4f, 0.7f, 0.2f, 0.6f}, y = {0, 1, 1, 0, 0, 1};
  const std::vector<float> w = {1, 2, 0.5f, 0, 3, 1};
  data::Batch batch{Exec()};
  data::reserve_batch(batch, 1, 1, 0, {});
  reserve(batch.exec, batch.weights, "weights", 1);
  train::RunningMetrics running(world, {"mse", "ctr", "precision"}, 2, 0.65);
  std::vector<Line> found;
  for (std::size_t line = 0; line < 3; ++line) {
    for (std::size_t i = 2 * line; i < 2 * line + 2; ++i)
      if (Index(i) % world.size() == world.rank()) {
        batch.labels(0) = y[i];
        batch.weights(0) = w[i];
        running.add({p[i]}, batch);
      }
    found.push_back(running.line());
  }
  const auto expected = [&](std::size_t begin, std::size_t end) {
    metrics::SampleSums sums;
    sums.add(std::vector<double>(p.begin() + begin, p.begin() + end), std::span(y).subspan(begin, end - begin),
             std::span(w).subspan(begin, end - begin), 0.65);
    return sums.metrics();
  };
  for (const auto& [line, begin] : {std::pair(0, 0), std::pair(1, 0), std::pair(2, 2)}) {
    const metrics::SumMetrics window = expected(begin, 2 * line + 2), lifetime = expected(0, 2 * line + 2);
    CHECK(found[line] == Line{{"window_mse", window.mse},
                              {"window_ctr", window.ctr},
                              {"window_precision", window.precision},
                              {"lifetime_mse", lifetime.mse},
                              {"lifetime_ctr", lifetime.ctr},
                              {"lifetime_precision", lifetime.precision}});
  }
  CHECK(train::RunningMetrics(world, {}, 2, 0.5).line().empty());
}

TEST_CASE("train.metrics: metrics.jsonl has windows and lifetimes that are the same on any ranks") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "running"), whole(self, "running_whole_" + std::to_string(world.rank()));
  run(self, job_with_metrics(whole.path()));
  run(world, job_with_metrics(folder.path()));
  world.barrier();
  const auto expected = lines(whole.path());
  REQUIRE(lines(folder.path()) == expected);
  REQUIRE(expected.size() == 5);  // steps 2, 4, 6, 8, and the evaluation
  // The loss of a line is the log loss of its samples: 512, then 388, twice.
  const auto value = [&](int line, const char* name) { return number(expected[line], name); };
  CHECK(value(0, "window_log_loss") == Approx(value(0, "loss")).epsilon(1e-6));
  CHECK(value(0, "lifetime_log_loss") == value(0, "window_log_loss"));
  CHECK(value(1, "window_log_loss") == Approx((512 * value(0, "loss") + 388 * value(1, "loss")) / 900).epsilon(1e-6));
  CHECK(value(2, "window_log_loss") == Approx((388 * value(1, "loss") + 512 * value(2, "loss")) / 900).epsilon(1e-6));
  const double total = 512 * (value(0, "loss") + value(2, "loss")) + 388 * (value(1, "loss") + value(3, "loss"));
  CHECK(value(3, "lifetime_log_loss") == Approx(total / 1800).epsilon(1e-6));
  CHECK(value(3, "lifetime_ctr") == value(3, "window_ctr"));  // two epochs of the same labels
  CHECK(value(1, "window_ctr") != value(0, "window_ctr"));
  CHECK(value(3, "lifetime_mse") != value(3, "window_mse"));
}

TEST_CASE("train.metrics: a run resumed between two lines on other ranks has the same windows") {
  const comm::Communicator world(MPI_COMM_WORLD), self(MPI_COMM_SELF);
  const Folder folder(world, "running_on"), whole(self, "running_on_whole_" + std::to_string(world.rank()));
  run(self, job_with_metrics(whole.path()));
  train::Job job = job_with_metrics(folder.path());
  job.checkpoint.every_steps = 5;
  run(world, job);
  world.barrier();
  const comm::Communicator alone(world, world.rank() == 0 ? 0 : 1);
  job.checkpoint.resume = folder.path() + "/checkpoints/step_000000005";
  if (world.rank() == 0) run(alone, job);
  world.barrier();
  REQUIRE(lines(folder.path()) == lines(whole.path()));
  if (world.rank() == 0)
    for (const auto& entry : std::filesystem::directory_iterator(folder.path() + "/checkpoints"))
      if (entry.path() != job.checkpoint.resume) std::filesystem::remove_all(entry.path());
  world.barrier();
  run(world, job);
  world.barrier();
  REQUIRE(lines(folder.path()) == lines(whole.path()));
}
