// SPDX-License-Identifier: Apache-2.0
#include <chrono>
#include <filesystem>
#include <span>

#include <fcntl.h>

#include <tesserec/train/mlperf_log.hpp>
#include <tesserec/train/training.hpp>

namespace tesserec::train {
namespace {

/// Returns MLPerf's name of a model type, which differs from ours for dlrm_dcn alone.
std::string benchmark(const std::string& type) { return type == "dlrm_dcn" ? "dlrm_dcnv2" : type; }

Index now() {
  using namespace std::chrono;
  return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace

MlperfLog::MlperfLog(const std::string& path, const data::SourceInfo& data, const data::SourceInfo* evaluation)
    : path_(path), data_(data), evaluation_(evaluation) {
  line("INTERVAL_START", "init_start", {}, Json::object());
}

void MlperfLog::begins(Training& training) {
  if (path_.empty() || training.is_over()) return;
  const Index done = training.position().samples;
  const bool resumed = done > 0 && std::filesystem::exists(path_);
  if (resumed)
    lines_.clear();
  else
    describe(training.session().job);
  file_.emplace(path_, O_WRONLY | O_CREAT | (resumed ? O_APPEND : O_TRUNC), "write run.mlperf_log to it");
  write();
}

void MlperfLog::describe(const Job& job) {
  const optim::Settings& dense = job.optimizer.dense;
  const optim::ScheduleSettings& schedule = job.schedule;
  point("cache_clear", false);  // the submitter clears the caches before the program
  point("submission_benchmark", benchmark(job.model.type));
  point("submission_org", job.run.mlperf_org);
  point("submission_platform", job.run.mlperf_platform);
  point("submission_division", job.run.mlperf_division);
  point("submission_status", job.run.mlperf_status);
  point("seed", job.run.seed);
  point("global_batch_size", job.train.step_samples());
  point("gradient_accumulation_steps", job.train.accumulate);
  point("train_samples", data_.samples);
  point("eval_samples", evaluation_ != nullptr ? evaluation_->samples : 0);
  point("opt_name", optim::info(dense.type).name);
  point("opt_base_learning_rate", dense.lr);
  point("opt_weight_decay", dense.weight_decay);
  if (schedule.stages.empty()) {  // MLPerf has no names for stages
    point("opt_learning_rate_warmup_steps", schedule.warmup_steps);
    point("opt_learning_rate_decay_start_step", schedule.decay_start_step);
    point("opt_learning_rate_decay_steps", schedule.decay_steps);
  }
  if (dense.type == optim::Type::adagrad) {
    point("opt_adagrad_learning_rate_decay", 0);
    point("opt_adagrad_initial_accumulator_value", dense.initial_accumulator);
    point("opt_adagrad_epsilon", dense.eps);
  }
  if (dense.type == optim::Type::sgd) {  // names of MLPerf's first DLRM benchmark
    point("sgd_opt_base_learning_rate", dense.lr);
    point("sgd_opt_learning_rate_decay_poly_power", 2);
    point("sgd_opt_learning_rate_decay_steps", schedule.decay_steps);
    point("lr_decay_start_steps", schedule.decay_start_step);
  }
  line("INTERVAL_END", "init_stop", {}, Json::object());
  line("INTERVAL_START", "run_start", {}, Json::object());
}

void MlperfLog::steps(Training& training) {
  if (training.position().batch == 0) start("epoch_start", training);
}

void MlperfLog::stepped(Training& training) {
  if (training.position().batch == training.length().batches(training.position().epoch)) stop("epoch_stop", training);
}

void MlperfLog::evaluates(Training& training) {
  start("eval_start", training);
  evaluates_ = true;
}

void MlperfLog::evaluated(Training& training, const metrics::BinaryMetrics& metrics) {
  stop("eval_stop", training);
  evaluates_ = false;
  line("POINT_IN_TIME", "eval_accuracy", metrics.auc, position(training));
}

void MlperfLog::ends(Training& training, TrainResult& result) {
  if (evaluates_) stop("eval_stop", training);
  if (!file_ || result.signal != 0) return;
  if (training.position().batch != training.length().batches(training.position().epoch)) stop("epoch_stop", training);
  const bool success = training.session().job.evaluate.stop_at_auc == 0 || result.stopped == "auc";
  Json metadata = position(training);
  line("INTERVAL_END", "run_stop", {}, metadata.set("status", success ? "success" : "aborted"));
  store::sync_path(path_);
}

Json MlperfLog::position(const Training& training) const {
  const Index samples = training.position().samples;
  Json metadata = Json::object();
  return metadata.set("epoch_num", double(samples) / double(data_.samples)).set("samples_count", samples);
}

void MlperfLog::start(const std::string& key, const Training& training) {
  line("INTERVAL_START", key, {}, position(training));
}

void MlperfLog::stop(const std::string& key, const Training& training) {
  line("INTERVAL_END", key, {}, position(training));
}

void MlperfLog::line(const char* event, const std::string& key, Json value, const Json& metadata) {
  if (path_.empty()) return;
  Json json = Json::object();
  json.set("namespace", "").set("time_ms", now()).set("event_type", event).set("key", key);
  lines_ += ":::MLLOG " + json.set("value", std::move(value)).set("metadata", metadata).text() + "\n";
  if (file_) write();
}

void MlperfLog::write() {
  store::write_all(*file_, path_, std::as_bytes(std::span(lines_)));
  lines_.clear();
}

}  // namespace tesserec::train
