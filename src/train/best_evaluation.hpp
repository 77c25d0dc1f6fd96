// SPDX-License-Identifier: Apache-2.0
/// Decisions by a run's evaluations: which is the best, which checkpoint stays, whether the run ends.
#pragma once

#include <optional>
#include <string>

#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/session.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::train {

/// The best evaluation of a run so far: its checkpoint stays with checkpoint.keep_best, and best.json names it.
class BestEvaluation final : public Observer {
 public:
  explicit BestEvaluation(const Session& session);
  /// Takes best.json where the run goes on, if of this metric and data set and, with checkpoint.keep_best, its
  /// checkpoint is there.
  void begins(Training& training) override;
  /// Logs the evaluation. Keeps its checkpoint, if it is the best one.
  void evaluated(Training& training, const metrics::BinaryMetrics& metrics) override;
  void ends(Training& training, TrainResult& result) override;

  /// Returns whether `step`'s evaluation beats all before by evaluate.monitor, or is the best's own. NaN is no better.
  bool is_better(const metrics::BinaryMetrics& metrics, Index step) const;
  /// Returns whether evaluate.patience evaluations up to `step` were not better.
  bool is_out_of_patience(Index step) const;

 private:
  double value_of(const metrics::BinaryMetrics& metrics) const;
  /// Records the best in best.json if the run has checkpoints; with checkpoint.keep_best, frees the one before.
  void take(const metrics::BinaryMetrics& metrics, Index step);
  /// Returns where its checkpoint stands; empty without checkpoint.keep_best.
  std::string checkpoint() const;

  const Job& job_;
  const parallel_io::CheckpointFolder folder_;
  bool used_, more_is_better_;
  Index begun_ = 0;
  std::optional<parallel_io::BestEvaluation> best_;
};

/// Stops a training at evaluate.stop_at_auc, or when evaluate.patience is spent.
class EarlyEnd final : public Observer {
 public:
  /// `evaluation` may be null.
  EarlyEnd(const BestEvaluation& best, Session& session, data::Source* evaluation)
      : best_(best), session_(session), evaluation_(evaluation) {}
  /// Decides whether the run ended where it goes on: repeats its last evaluation, whose line the log has.
  void begins(Training& training) override;
  void evaluated(Training& training, const metrics::BinaryMetrics& metrics) override;
  void ends(Training& training, TrainResult& result) override;

 private:
  const BestEvaluation& best_;
  Session& session_;
  data::Source* evaluation_;
  TrainResult repeated_;  // evaluation, its step and ids, where the run had ended
};

}  // namespace tesserec::train
