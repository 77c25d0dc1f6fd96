// SPDX-License-Identifier: Apache-2.0
/// File metrics.jsonl of a run, with the metrics of its training samples.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/metrics/binary.hpp>
#include <tesserec/tiers/growing_rows.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/metrics_log.hpp>
#include <tesserec/train/running_metrics.hpp>

namespace tesserec::train {

/// Writer of a run's metrics.jsonl. All functions but add() and lacks_evaluation() are collective. The first rank
/// writes.
class RunLog {
 public:
  /// Makes the session's steps keep their predictions if train.metrics is not empty.
  explicit RunLog(Session& session);
  /// Opens the file after the position at which the run was restored or begins. `last`: the run's last step.
  void open(const Position& from, Index last);

  /// Adds the predicted probabilities of a micro-batch [B, T].
  void add(const std::vector<float>& predictions, const data::Batch& batch);
  /// Writes the line of a step. `loss`: mean since the previous line.
  void write_training(const Position& at, double loss, double samples_per_second);
  void write_evaluation(const Position& at, const metrics::BinaryMetrics& metrics);
  /// Writes the evaluation of the window that the next step begins.
  void write_window(const Position& at, const data::TimeWindow& window, const metrics::BinaryMetrics& metrics);
  /// Returns MetricsLog::window_means() on the first rank, nothing on the others.
  std::optional<WindowMeans> window_means(Index begun) const;
  /// Blocks until all lines are on the disk.
  void sync();
  /// Syncs and closes the file. Throws Error if a line was lost. No call may follow.
  void close();

  /// Returns RunningMetrics::state() of each label, for a checkpoint. Collective.
  std::vector<std::int64_t> state() const;
  /// Returns whether the file had no evaluation of the step after which it was opened.
  bool lacks_evaluation() const { return lacks_evaluation_; }

 private:
  void write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values);

  std::vector<std::pair<std::string, double>> cache_values();
  std::vector<std::pair<std::string, double>> growth_values();

  const Session& session_;
  std::vector<RunningMetrics> running_;  // [T]
  std::unique_ptr<MetricsLog> file_;     // null except on the first rank
  bool lacks_evaluation_ = false;
  embedding::CacheUse cache_;           // of all tables, at the last line
  std::vector<tiers::Growth> growths_;  // [table] at the last line
};

}  // namespace tesserec::train
