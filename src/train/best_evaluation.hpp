// SPDX-License-Identifier: Apache-2.0
/// Decisions after a run's evaluations: which one is the best, which checkpoint is kept, whether the run ends.
#pragma once

#include <optional>
#include <string>

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::train {

/// Best evaluation of a run so far. best.json names it, and checkpoint.keep_best keeps its checkpoint.
class BestEvaluation final : public Observer {
 public:
  explicit BestEvaluation(const Session& session);
  /// Continues with the evaluation of best.json if a resumed run has the same metric and dataset. With
  /// checkpoint.keep_best its checkpoint must exist, too. Otherwise removes best.json.
  void begins(Training& training) override;
  /// Logs the evaluation. Saves a checkpoint if it is the best one and checkpoint.keep_best is on.
  void evaluated(Training& training, const metrics::BinaryMetrics& metrics) override;
  void ends(Training& training, TrainResult& result) override;

  /// Returns whether the evaluation of `step` beats all earlier ones by evaluate.monitor, or is the best one itself.
  /// Returns false for NaN.
  bool is_better(const metrics::BinaryMetrics& metrics, Index step) const;
  /// Returns whether evaluate.patience evaluations in a row up to `step` were not better.
  bool is_out_of_patience(Index step) const;

 private:
  double value_of(const metrics::BinaryMetrics& metrics) const;
  /// Returns the name of the compared metric: evaluate.monitor, as "LABEL.METRIC" with evaluate.task.
  std::string monitored() const;
  /// Warns once if the compared mean is undefined, naming the labels that make it so.
  void warn_if_undefined(const metrics::BinaryMetrics& metrics);
  /// Records the best evaluation in best.json if the run has checkpoints. With checkpoint.keep_best, removes the
  /// previous best checkpoint.
  void record(const metrics::BinaryMetrics& metrics, Index step);
  /// Returns the folder of the best evaluation's checkpoint; empty without checkpoint.keep_best.
  std::string checkpoint() const;

  const Job& job_;
  const parallel_io::CheckpointFolder folder_;
  bool tracks_best_, more_is_better_, warned_ = false;
  Index begun_ = 0;
  std::optional<parallel_io::BestEvaluation> best_;
};

/// Observer that stops a training at evaluate.stop_at_auc, or when evaluate.patience is spent.
class EarlyEnd final : public Observer {
 public:
  /// Takes the evaluation data, or null if there is none. All arguments must outlive the observer.
  EarlyEnd(const BestEvaluation& best, Session& session, data::Source* evaluation)
      : best_(best), session_(session), evaluation_(evaluation) {}
  /// Repeats the evaluation at which a run resumes, to decide whether it had ended the run. Writes no line, since
  /// metrics.jsonl already has one.
  void begins(Training& training) override;
  void evaluated(Training& training, const metrics::BinaryMetrics& metrics) override;
  void ends(Training& training, TrainResult& result) override;

 private:
  const BestEvaluation& best_;
  Session& session_;
  data::Source* evaluation_;
  TrainResult repeated_;  // repeated evaluation with its step and ids, if it had ended the run
};

}  // namespace tesserec::train
