// SPDX-License-Identifier: Apache-2.0
/// metrics.jsonl of a run, with the metrics of its training samples.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/metrics/binary.hpp>
#include <tesserec/train/checkpoint.hpp>
#include <tesserec/train/metrics_log.hpp>
#include <tesserec/train/running_metrics.hpp>

namespace tesserec::train {

/// All functions but add and lacks_evaluation are collective. The first rank writes.
class RunLog {
 public:
  /// Makes the session's steps keep their predictions where train.metrics are asked for.
  explicit RunLog(Session& session);
  /// Goes on behind the position that a run was restored at, or begins; `last` is the run's last step.
  void open(const Position& from, Index last);

  /// Takes the predictions of a micro-batch [B].
  void add(const std::vector<float>& predictions, const data::Batch& batch);
  /// Writes the line of a step: `loss` is the mean since the last one.
  void write_training(const Position& at, double loss, double samples_per_second);
  void write_evaluation(const Position& at, const metrics::BinaryMetrics& metrics);
  /// Waits until all lines are on the disk.
  void sync();
  /// The last call: sync(), and an Error where a line was lost.
  void close();

  /// Returns RunningMetrics::state(), for a checkpoint.
  std::vector<std::int64_t> state() const { return running_.state(); }
  /// Returns whether the file had no evaluation of the step behind which it was opened.
  bool lacks_evaluation() const { return lacks_evaluation_; }

 private:
  void write(Index step, const std::string& kind, const std::vector<std::pair<std::string, double>>& values);

  const Session& session_;
  RunningMetrics running_;
  std::unique_ptr<MetricsLog> file_;  // of the first rank
  bool lacks_evaluation_ = false;
};

}  // namespace tesserec::train
