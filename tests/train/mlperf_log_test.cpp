// SPDX-License-Identifier: Apache-2.0
// evaluate.stop_at_auc, and the lines of run.mlperf_log that MLPerf's checker reads.
#include <algorithm>
#include <fstream>
#include <map>

#include "catch.hpp"
#include "errors.hpp"
#include "small_job.hpp"
#include <tesserec/core/json.hpp>

using namespace tesserec;

namespace {

const comm::Communicator& world() {
  static const comm::Communicator comm(MPI_COMM_WORLD);
  return comm;
}

std::vector<Json> lines(const std::string& path, const std::string& head) {
  std::ifstream file(path);
  std::vector<Json> all;
  for (std::string line; std::getline(file, line);) {
    REQUIRE(line.compare(0, head.size(), head) == 0);
    all.push_back(parse_json(line.substr(head.size())));
  }
  return all;
}

std::vector<Json> events(const std::string& path, const std::string& key) {
  std::vector<Json> found;
  for (const Json& line : lines(path, ":::MLLOG "))
    if (line.at("key").string() == key) found.push_back(line);
  return found;
}

/// Returns the AUC of each evaluated step in metrics.jsonl.
std::map<Index, double> measured(const train::Job& job) {
  std::map<Index, double> auc;
  for (const Json& line : lines(job.run.output + "/metrics.jsonl", ""))
    if (line.at("kind").string() == "evaluate") {
      REQUIRE(auc.emplace(line.at("step").integer(), line.at("auc").number()).second);
    }
  return auc;
}

train::Job evaluating_job(const std::string& folder) {
  train::Job job = small_job(folder);
  job.evaluate.every_steps = 1;
  job.optimizer.dense.lr = job.optimizer.sparse.lr = 0.4;
  job.run.mlperf_log = folder + "/mlperf.txt";
  return job;
}

}  // namespace

TEST_CASE("evaluate.stop_at_auc: ends at the first evaluation that reaches it and stays ended") {
  const Folder folder(world(), "auc");
  train::Job job = evaluating_job(folder.path());
  run(world(), job);
  const std::map<Index, double> all = measured(job);
  REQUIRE(all.size() == 8);
  const auto less = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto target = std::max_element(all.begin(), std::prev(all.end(), 3), less);
  REQUIRE(target->first > 1);
  world().barrier();

  job.train.steps = target->first;
  const train::TrainResult plain = run(world(), job);
  CHECK(plain.stopped.empty());
  job.train.steps = 0;
  job.evaluate.stop_at_auc = target->second;
  for (const char* resume : {"never", "auto"}) {
    job.checkpoint.resume = resume;
    const train::TrainResult result = run(world(), job);
    CHECK(result.stopped == "auc");
    CHECK(result.steps == target->first);
    CHECK(result.weights_digest == plain.weights_digest);
    CHECK(result.evaluation->auc == target->second);
    CHECK(measured(job).size() == std::size_t(target->first));
  }
  CHECK(events(job.run.mlperf_log, "run_stop").size() == 1);
  job.evaluate.stop_at_auc = 1;
  CHECK(run(world(), job).stopped.empty());
  CHECK(measured(job).size() == 8);
  const auto ends = events(job.run.mlperf_log, "run_stop");
  CHECK(ends.back().at("metadata").at("status").string() == "aborted");
  CHECK(ends.front().at("metadata").at("status").string() == "success");
}

TEST_CASE("run.mlperf_log: has each line once and in MLPerf's order after a signal and a restart") {
  const Folder folder(world(), "mllog");
  train::Job job = evaluating_job(folder.path());
  job.evaluate.every_steps = 3;
  job.run.mlperf_org = "us";
  job.optimizer.dense.type = optim::Type::adagrad;
  job.optimizer.dense.eps = 1e-6;
  CHECK(run_to_signal(world(), job, 1).steps == 1);
  job.checkpoint.resume = "auto";
  const train::TrainResult result = run(world(), job);
  CHECK(result.steps == 8);

  std::string keys;
  Index before = 0;
  for (const Json& line : lines(job.run.mlperf_log, ":::MLLOG ")) {
    const std::string& key = line.at("key").string();
    CHECK(line.at("time_ms").integer() >= before);
    before = line.at("time_ms").integer();
    if (line.at("event_type").string() != "POINT_IN_TIME") keys += " " + key;
  }
  CHECK(keys ==
        " init_start init_stop run_start epoch_start eval_start eval_stop epoch_stop epoch_start eval_start eval_stop "
        "epoch_stop eval_start eval_stop run_stop");
  const auto value = [&](const std::string& key) {
    const auto found = events(job.run.mlperf_log, key);
    REQUIRE(found.size() == 1);
    return found[0].at("value");
  };
  CHECK(value("submission_org").string() == "us");
  CHECK(value("submission_benchmark").string() == "dlrm");
  CHECK(value("global_batch_size").integer() == 256);
  CHECK(value("train_samples").integer() == 900);
  CHECK(value("eval_samples").integer() == 300);
  CHECK(value("opt_name").string() == "adagrad");
  CHECK(value("opt_adagrad_epsilon").number() == 1e-6);
  const auto auc = events(job.run.mlperf_log, "eval_accuracy");
  REQUIRE(auc.size() == 3);
  CHECK(auc[0].at("metadata").at("samples_count").integer() == 3 * 256);
  CHECK(auc[1].at("metadata").at("epoch_num").number() == (900 + 2 * 256) / 900.0);
  CHECK(auc[2].at("value").number() == result.evaluation->auc);
  CHECK(auc[2].at("metadata").at("epoch_num").number() == 2);

  job.checkpoint.resume = "never";
  job.train.batch_size = 128;  // MLPerf's batch is all samples of a step
  job.train.accumulate = 2;
  run(world(), job);
  CHECK(value("global_batch_size").integer() == 256);
  CHECK(value("gradient_accumulation_steps").integer() == 2);

  job.run.mlperf_log = folder.path() + "/none/mlperf.txt";
  if (world().size() == 1)
    CHECK(mentions(error_of([&] { run(world(), job); }), "none/mlperf.txt: cannot write run.mlperf_log to it"));
}
