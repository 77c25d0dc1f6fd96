// SPDX-License-Identifier: Apache-2.0
/// Progressive validation: the evaluation of each window of the training data before the model is trained on it.
#pragma once

#include <tesserec/data/source.hpp>
#include <tesserec/train/observer.hpp>

namespace tesserec::train {

class RunLog;
struct Session;

/// Observer that evaluates a window of SourceInfo::windows before its first step, and writes its line of
/// metrics.jsonl. A model that has learned nothing yet, at the first step of a run without other weights, is not
/// evaluated. After a signal it stops the training.
class WindowEvaluation final : public Observer {
 public:
  /// Takes the source that the training reads, between two of its batches. All arguments must outlive this object.
  WindowEvaluation(Session& session, data::Source& source, RunLog& log)
      : session_(session), source_(source), log_(log) {}

  void steps(Training& training) override;
  /// Adds the means over all windows on the run's dataset to the result of the first rank.
  void ends(Training& training, TrainResult& result) override;

 private:
  Session& session_;
  data::Source& source_;
  RunLog& log_;
};

}  // namespace tesserec::train
