// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/metrics/binary.hpp>

namespace tesserec::train {

class Training;
struct TrainResult;

/// Receiver of a training's events. Each is called on all ranks and may call the training: evaluate(), save(), stop().
/// An Error that it throws must be the same on all ranks (comm::agree), and ends the training. Observers nest: begins,
/// steps and evaluates go from the first observer to the last one, all other events from the last to the first.
class Observer {
 public:
  virtual ~Observer() = default;

  /// The run's folder is locked and its state restored; no step has been made by this process.
  virtual void begins(Training&) {}
  /// A step is about to be made. Its epoch and batch are those of Training::position().
  virtual void steps(Training&) {}
  /// A step was made and, where one was due, its line of metrics.jsonl written.
  virtual void stepped(Training&) {}
  /// An evaluation is about to be made.
  virtual void evaluates(Training&) {}
  /// An evaluation was made to its end; its line of metrics.jsonl follows.
  virtual void evaluated(Training&, const metrics::BinaryMetrics&) {}
  /// A checkpoint was written in so many seconds.
  virtual void saved(Training&, double /*seconds*/) {}
  /// No step and no evaluation follows. A checkpoint of the last step may. Observers may add to the result.
  virtual void ends(Training&, TrainResult&) {}
};

}  // namespace tesserec::train
