// SPDX-License-Identifier: Apache-2.0
// Lines of metrics.jsonl, and the lines that a resumed run keeps.
#include <cmath>
#include <fstream>
#include <sstream>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/train/metrics_log.hpp>

using namespace tesserec;

namespace {

std::vector<std::string> lines(const std::string& folder) {
  std::ifstream file(folder + "/metrics.jsonl");
  std::vector<std::string> all;
  for (std::string line; std::getline(file, line);) all.push_back(line);
  return all;
}

/// Returns the number `name` of each line of a kind.
std::vector<double> column(const std::string& folder, const std::string& kind, const std::string& name) {
  std::vector<double> all;
  for (const std::string& line : lines(folder))
    if (line.find("\"kind\": \"" + kind + "\"") != std::string::npos)
      all.push_back(std::stod(line.substr(line.find("\"" + name + "\": ") + name.size() + 4)));
  return all;
}

/// Returns a line without its last field, the time.
std::string timeless(const std::string& line) {
  const std::size_t time = line.find(", \"time\": ");
  REQUIRE(time != std::string::npos);
  return line.substr(0, time) + "}";
}

}  // namespace

TEST_CASE("MetricsLog: a resumed log keeps the whole lines up to its step without the last evaluation") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder folder(self, "metrics_" + std::to_string(comm::Communicator(MPI_COMM_WORLD).rank()));
  {
    train::MetricsLog log(folder.path(), 0, 4);
    for (const Index step : {2, 4, 5}) {
      log.write(step, "train", {{"loss", 0.1}, {"none", std::nan("")}, {"large", INFINITY}});
      log.write(step, "evaluate", {{"auc", 0.75}});
    }
  }
  const std::string number = "0.10000000000000001";
  REQUIRE(lines(folder.path()).size() == 6);
  REQUIRE(timeless(lines(folder.path())[0]) ==
          "{\"step\": 2, \"kind\": \"train\", \"loss\": " + number + ", \"none\": null, \"large\": null}");
  std::ofstream(folder.path() + "/metrics.jsonl", std::ios::app) << "{\"step\": 3, \"kind\": \"train\", \"lo";
  {
    train::MetricsLog log(folder.path(), 4, 4);
    log.write(5, "train", {});
  }
  const auto kept_lines = lines(folder.path());
  REQUIRE(kept_lines.size() == 4);
  REQUIRE(timeless(kept_lines[1]) == "{\"step\": 2, \"kind\": \"evaluate\", \"auc\": 0.75}");
  REQUIRE(kept_lines[2].substr(0, 27) == "{\"step\": 4, \"kind\": \"train\"");
  REQUIRE(timeless(kept_lines[3]) == "{\"step\": 5, \"kind\": \"train\"}");

  train::MetricsLog log(folder.path(), 4, 4);
  log.close();
  REQUIRE(mentions(error_of([&] { log.write(5, "train", {}); }), "metrics.jsonl: cannot write it"));
}

TEST_CASE("MetricsLog: a resumed log drops the window that its next step begins, and means weigh windows by samples") {
  const comm::Communicator self(MPI_COMM_SELF);
  const Folder folder(self, "windows_" + std::to_string(comm::Communicator(MPI_COMM_WORLD).rank()));
  {
    train::MetricsLog log(folder.path(), 0, 9);
    for (const Index step : {2, 4, 5})
      log.write(step, "window", {{"window_samples", 10.0 * step}, {"auc", 0.1 * step}});
  }
  train::MetricsLog log(folder.path(), 4, 9);
  CHECK(column(folder.path(), "window", "step") == std::vector<double>{2});
  log.write(4, "window", {{"window_samples", 60}, {"auc", 0.6}, {"ne", std::nan("")}});
  log.write(6, "train", {{"auc", 0.9}});
  const train::WindowMeans all = log.window_means(0, {"auc", "ne"}), later = log.window_means(4, {"auc"});
  CHECK(all.windows == 2);
  CHECK(all.samples == 80);
  CHECK(all.metrics[0].first == "auc");
  CHECK(all.metrics[0].second == Approx((20 * 0.2 + 60 * 0.6) / 80));
  CHECK(std::isnan(all.metrics[1].second));
  CHECK(all.defined == std::vector<Index>{2, 0});
  CHECK(later.windows == 1);
  CHECK(later.metrics[0].second == 0.6);
}

TEST_CASE("train.log_every: writes the mean loss since the last line and the rate at each due step") {
  const comm::Communicator world(MPI_COMM_WORLD);
  train::Job job = small_job("");
  job.train.epochs = 1;
  job.train.steps = 100;
  job.schedule = {3, 0, 0};
  job.checkpoint.keep = 0;
  const auto logged = [&](Index log_every, Index evaluate_every) {
    const Folder folder(world, "logged");
    job.run.output = folder.path();
    job.train.log_every = log_every;
    job.evaluate.every_steps = evaluate_every;
    const train::TrainResult result = run(world, job);
    CHECK(result.steps == 4);  // one epoch; train.steps is larger
    const std::string at = job.run.folder();
    std::vector<std::vector<double>> all;
    for (const std::string name : {"step", "samples", "loss", "lr"}) all.push_back(column(at, "train", name));
    all.push_back(column(at, "evaluate", "step"));
    all.push_back({result.loss});
    world.barrier();
    return all;
  };
  const auto columns = logged(1, 2), pairs = logged(3, 0);
  CHECK(columns[0] == std::vector<double>{1, 2, 3, 4});
  CHECK(columns[1] == std::vector<double>{256, 512, 768, 900});
  CHECK(columns[2].back() == columns[5].front());
  CHECK(columns[3] == std::vector<double>{0.05 * (1 - 2.0 / 3), 0.05 * (1 - 1.0 / 3), 0.05, 0.05});
  CHECK(columns[4] == std::vector<double>{2, 4});
  CHECK(pairs[0] == std::vector<double>{3, 4});
  CHECK(pairs[2][0] == Approx((columns[2][0] + columns[2][1] + columns[2][2]) / 3).epsilon(1e-14));
  CHECK(pairs[2][1] == columns[2][3]);
  CHECK(pairs[4] == std::vector<double>{4});
  // The final loss is that of the last line, not of the last batch.
  const auto whole = logged(100, 0);
  CHECK(whole[0] == std::vector<double>{4});
  CHECK(whole[5] == whole[2]);
  const double sum = 256 * (columns[2][0] + columns[2][1] + columns[2][2]) + 132 * columns[2][3];
  CHECK(whole[5].front() == Approx(sum / 900).epsilon(1e-14));
  CHECK(whole[5].front() != columns[2][3]);
}

TEST_CASE("train: a run that a signal ends between two lines reports the mean loss since the last line") {
  const comm::Communicator world(MPI_COMM_WORLD);
  const Folder folder(world, "between");
  train::Job job = small_job(folder.path());
  job.train.steps = 3;
  job.train.log_every = 1;
  run(world, job);
  const std::vector<double> losses = column(folder.path(), "train", "loss");
  REQUIRE(losses.size() == 3);
  world.barrier();
  job.train.log_every = 100;
  const train::TrainResult stopped = run_to_signal(world, job, 1);
  CHECK(stopped.steps == 1);
  CHECK(stopped.loss == Approx(losses[0]).epsilon(1e-14));
  CHECK(stopped.evaluation_step == 0);
  CHECK(lines(folder.path()).empty());
  job.checkpoint.resume = "auto";
  const train::TrainResult result = run(world, job);
  CHECK(result.steps == 3);
  CHECK(result.loss == Approx((losses[0] + losses[1] + losses[2]) / 3).epsilon(1e-14));
  CHECK(std::vector<double>{result.loss} == column(folder.path(), "train", "loss"));
  CHECK(result.evaluation_step == 3);
}
