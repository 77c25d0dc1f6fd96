// SPDX-License-Identifier: Apache-2.0
#include "run_log.hpp"

#include <algorithm>

#include <tesserec/comm/agree.hpp>
#include <tesserec/metrics/names.hpp>
#include <tesserec/train/table_figures.hpp>

namespace tesserec::train {
namespace {

template <class Body>
void by_first_rank(const comm::Communicator& comm, const Body& body) {
  comm::agree(comm, [&] {
    if (comm.rank() == 0) body();
  });
}

}  // namespace

RunLog::RunLog(Session& session) : session_(session) {
  for (Index t = 0; t < session.job.model.labels(); ++t)
    running_.emplace_back(session.comm, session.job.train.metrics, session.job.train.window,
                          session.job.evaluate.threshold);
  if (!session.job.train.metrics.empty()) session.step.keep_predictions();
}

void RunLog::open(const Position& from, Index last) {
  const std::size_t words = from.metrics.size() / running_.size();  // all labels have as many lines
  for (std::size_t t = 0; t < running_.size(); ++t)
    running_[t].restore(
        {from.metrics.begin() + std::ptrdiff_t(t * words), from.metrics.begin() + std::ptrdiff_t((t + 1) * words)});
  by_first_rank(session_.comm,
                [&] { file_ = std::make_unique<MetricsLog>(session_.job.run.folder(), from.step, last); });
  lacks_evaluation_ = session_.comm.max(file_ != nullptr && file_->lacks_evaluation() ? 1 : 0) != 0;
}

void RunLog::add(const std::vector<float>& predictions, const data::Batch& batch) {
  if (session_.job.train.metrics.empty()) return;
  for (std::size_t t = 0; t < running_.size(); ++t) running_[t].add(predictions, batch, Index(t));
}

std::vector<std::int64_t> RunLog::state() const {
  std::vector<std::int64_t> all;
  for (const RunningMetrics& task : running_) {
    const std::vector<std::int64_t> own = task.state();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

void RunLog::write_training(const Position& at, double loss, double samples_per_second) {
  const Job& job = session_.job;
  std::vector<std::pair<std::string, double>> values = {
      {"samples", double(at.samples)},
      {"loss", loss},
      {"lr", optim::scheduled_rate(job.schedule, job.optimizer.dense.lr, at.step)},
      {"samples_per_second", samples_per_second}};
  if (job.optimizer.max_norm > 0) values.emplace_back("gradient_norm", session_.step.gradient_norm());
  for (auto& value : cache_values()) values.push_back(std::move(value));
  for (auto& value : growth_values()) values.push_back(std::move(value));
  for (std::size_t t = 0; t < running_.size(); ++t)
    for (const auto& [name, value] : running_[t].line())
      values.emplace_back(running_.size() > 1 ? job.model.tasks[t] + "." + name : name, value);
  write(at.step, "train", values);
}

/// Returns the hit rate of the caches and the bytes of their transfers since the last line. Collective.
std::vector<std::pair<std::string, double>> RunLog::cache_values() {
  const auto& tables = session_.model.tables();
  if (!sharding::caches_rows(tables)) return {};
  const std::string tier =
      tables.has(embedding::ComputeKernel::disk) ? "disk" : "host";  // a run has tables of one of them
  embedding::CacheUse now;
  for (const embedding::CacheUse& table : cache_uses(session_)) now += table;
  const embedding::CacheUse use = now.since(std::exchange(cache_, now));
  std::vector<std::pair<std::string, double>> values;
  if (use.pinned > 0) values.emplace_back("cache_hit_rate", use.hit_rate());  // the last step pins no further rows
  values.emplace_back(tier + "_bytes_read", double(use.bytes_read));
  values.emplace_back(tier + "_bytes_written", double(use.bytes_written));
  return values;
}

/// Returns the rows of each growing table, and what became of ids and rows since the last line. Collective.
std::vector<std::pair<std::string, double>> RunLog::growth_values() {
  const std::vector<embedding::EmbeddingBagConfig>& tables = session_.model.tables().tables();
  if (std::ranges::none_of(tables, &embedding::EmbeddingBagConfig::grows)) return {};
  std::vector<tiers::Growth> now = growths(session_);
  growths_.resize(now.size());
  std::vector<std::pair<std::string, double>> values;
  for (std::size_t t = 0; t < now.size(); ++t) {
    if (!tables[t].grows()) continue;
    const std::string name = "growing_" + tables[t].name + "_";
    const tiers::Growth& then = growths_[t];
    values.emplace_back(name + "rows", double(now[t].occupied));
    values.emplace_back(name + "admitted", double(now[t].admitted - then.admitted));
    values.emplace_back(name + "refused", double(now[t].refused - then.refused));
    values.emplace_back(name + "evicted", double(now[t].evicted - then.evicted));
  }
  growths_ = std::move(now);
  return values;
}

void RunLog::write_evaluation(const Position& at, const metrics::BinaryMetrics& metrics) {
  auto values = metrics::chosen_of_all(metrics, session_.job.evaluate.metrics);
  values.insert(values.begin(), {"samples", double(at.samples)});
  write(at.step, "evaluate", values);
}

void RunLog::write_window(const Position& at, const data::TimeWindow& window, const metrics::BinaryMetrics& metrics) {
  constexpr double microsecond = 1e-6;
  std::vector<std::pair<std::string, double>> values = {
      {"samples", double(at.samples)}, {"window", double(at.epoch)}, {"window_samples", double(window.samples)}};
  if (window.begin < window.end) {
    values.emplace_back("begin", microsecond * double(window.begin));
    values.emplace_back("end", microsecond * double(window.end));
  }
  for (auto& value : metrics::chosen_of_all(metrics, session_.job.evaluate.metrics)) values.push_back(std::move(value));
  write(at.step, "window", values);
}

std::optional<WindowMeans> RunLog::window_means(Index begun) const {
  std::vector<std::string> names = session_.job.evaluate.metrics;
  for (const std::string& task : session_.job.model.tasks)
    for (const std::string& metric : session_.job.evaluate.metrics)
      if (running_.size() > 1) names.push_back(task + "." + metric);
  std::optional<WindowMeans> means;
  by_first_rank(session_.comm, [&] { means = file_->window_means(begun, names); });
  return means;
}

void RunLog::write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values) {
  by_first_rank(session_.comm, [&] { file_->write(step, kind, values); });
}

void RunLog::sync() {
  by_first_rank(session_.comm, [&] { file_->sync(); });
}

void RunLog::close() {
  by_first_rank(session_.comm, [&] { file_->close(); });
}

}  // namespace tesserec::train
