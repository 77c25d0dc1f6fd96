// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/signals.hpp>
#include <tesserec/train/observer.hpp>
#include <tesserec/train/pipeline.hpp>
#include <tesserec/train/run_length.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::train {

class DeltaWrite;
class MemoryCheck;
class RunLocks;
class RunLog;
struct TrainedSamples;

/// States that a run has saved.
struct SavedStates {
  Index step = -1;                     ///< step of the newest checkpoint
  std::unique_ptr<DeltaWrite> delta;   ///< delta that is being written
  std::unique_ptr<MemoryCheck> check;  ///< with checkpoint.check_memory
};

/// Signals that a run takes.
struct HeldSignals {
  Signals all;
  std::optional<Signals::Orderly> orderly;  ///< set from the restored state on
};

/// Training run of a session's job. It locks the run's folder, restores the newest checkpoint or starts, and writes
/// metrics.jsonl. It ends at the last step, at a signal, before the end of a Slurm job, or as evaluate.stop_at_auc,
/// evaluate.patience and observers say. The caller decides when it evaluates and saves.
///
///     train::Training training(session, source, evaluation);
///     while (training.step()) continue;
///     const train::TrainResult result = training.finish();
///
/// All functions that are not const are collective. They throw the same Error on all ranks, which ends the training.
class Training {
 public:
  /// Locks the folder and restores or starts the run. `evaluation` may be null. Session, sources and observers must
  /// outlive the training. Throws Stopped after a signal. Later signals end the training with a checkpoint.
  Training(Session& session, data::Source& source, data::Source* evaluation,
           const std::vector<Observer*>& observers = {});
  ~Training();
  Training(const Training&) = delete;
  Training& operator=(const Training&) = delete;

  /// Trains one step of train.accumulate micro-batches. Returns false, and does nothing, if the training is over.
  bool step();
  /// Evaluates the current model, logs the metrics and returns them. Returns nothing without evaluation data, or if a
  /// signal interrupts it; the signal stops the training.
  std::optional<metrics::BinaryMetrics> evaluate();
  /// Writes a checkpoint, unless this step has one or checkpoint.keep is 0. Returns the folder of the newest
  /// checkpoint.
  std::string save();
  /// Begins a delta of the newest checkpoint or delta of this run, or writes a checkpoint if there is none. Waits for
  /// the delta before, and for one below 1 MiB; a larger one goes to the disk while training goes on. Needs
  /// checkpoint.delta_seconds.
  void save_delta();
  /// Gives the delta that save_delta() has begun its name, if there is one. Waits until its files are on the disk, or,
  /// unless it `waits`, does so only if they are. save() and finish() wait.
  void finish_delta(bool waits);
  /// Ends the training before its next step, so that finish() saves and does not evaluate. All ranks call it with the
  /// same `reason`, which is not empty. The first reason stands.
  void stop(const std::string& reason, int signal = 0);
  /// Saves the model and, unless the training was stopped, evaluates it, if the last step has not done so. Returns the
  /// result with all figures. No call that changes the training may follow. The folder stays locked until the
  /// destructor.
  TrainResult finish();

  const Session& session() const { return session_; }
  const Position& position() const { return at_; }
  const RunLength& length() const { return length_; }
  /// Returns the result so far: loss, evaluation, checkpoint and reason to stop.
  const TrainResult& so_far() const { return result_; }
  bool is_over() const { return at_.step >= length_.last || !result_.stopped.empty(); }
  /// Returns whether the last step made is a multiple of `every` and not the run's last step.
  bool is_due(Index every) const;
  /// Returns whether the run was restored at a step whose evaluation metrics.jsonl lacks.
  bool lacks_evaluation() const;

 private:
  void restore();
  void compute();
  void log();

  Session& session_;
  data::Source* evaluation_;
  TrainPipelineSparseDist pipeline_;
  RunLength length_;
  Position at_;
  std::unique_ptr<RunLocks> locks_;  // before saved_, whose delta is removed while the folder is locked
  SavedStates saved_;
  TrainResult result_;
  std::unique_ptr<RunLog> log_;
  std::unique_ptr<TrainedSamples> trained_;
  std::vector<std::unique_ptr<Observer>> own_;  // observers of the job
  std::vector<Observer*> observers_;            // the job's, then the caller's
  HeldSignals signals_;
};

}  // namespace tesserec::train
