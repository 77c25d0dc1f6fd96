// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/metrics/binary.hpp>

namespace tesserec::train {

class Training;
struct TrainResult;

/// Receiver of a training's events. Every function is called on all ranks and may call the training's evaluate(),
/// save() and stop(). An Error that it throws must be the same on all ranks (comm::agree), and ends the training.
/// Observers nest: begins, steps and evaluates go from the first observer to the last, all other events from the last
/// to the first.
class Observer {
 public:
  virtual ~Observer() = default;

  /// Runs after the run's folder is locked and its state restored, before the first step of this process.
  virtual void begins(Training&) {}
  /// Runs before the step at Training::position(). If it stops the training, this step is not made.
  virtual void steps(Training&) {}
  /// Runs after a step and, if one was due, after its line of metrics.jsonl.
  virtual void stepped(Training&) {}
  /// Runs before an evaluation.
  virtual void evaluates(Training&) {}
  /// Runs after a complete evaluation, before its line of metrics.jsonl.
  virtual void evaluated(Training&, const metrics::BinaryMetrics&) {}
  /// Runs after a checkpoint was written, which took `seconds`.
  virtual void saved(Training&, double /*seconds*/) {}
  /// Runs after the last step and evaluation; a checkpoint of the last step may follow. May add to the result.
  virtual void ends(Training&, TrainResult&) {}
};

}  // namespace tesserec::train
