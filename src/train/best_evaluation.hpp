// SPDX-License-Identifier: Apache-2.0
/// The best evaluation of a run so far: what checkpoint.keep_best keeps and evaluate.patience waits for.
#pragma once

#include <optional>
#include <string>

#include <tesserec/metrics/binary.hpp>
#include <tesserec/parallel_io/checkpoint_folder.hpp>
#include <tesserec/train/job.hpp>

namespace tesserec::train {

/// All functions but is_out_of_patience are collective.
class BestEvaluation {
 public:
  BestEvaluation(const comm::Communicator& comm, const Job& job);
  /// Starts or continues after `step` of a data set that began after step `begun`. Takes best.json where `goes_on`, if
  /// of this metric and data set and, with checkpoint.keep_best, its checkpoint is there.
  void begin(Index step, Index begun, bool goes_on);
  /// Returns whether `step`'s evaluation beats all before by evaluate.monitor, or is the best's own. NaN is no better.
  bool is_better(const metrics::BinaryMetrics& metrics, Index step) const;
  /// Records the best in best.json if the run has checkpoints; with checkpoint.keep_best, frees the one before.
  void take(const metrics::BinaryMetrics& metrics, Index step);
  /// Returns where its checkpoint stands; empty without checkpoint.keep_best.
  std::string checkpoint() const;
  /// The step whose checkpoint stays; nothing without checkpoint.keep_best.
  std::optional<Index> kept_step() const;
  /// Returns whether evaluate.patience evaluations up to `step` were not better.
  bool is_out_of_patience(Index step) const;
  /// Nothing until the first evaluation.
  const std::optional<parallel_io::BestEvaluation>& so_far() const { return best_; }

 private:
  double value_of(const metrics::BinaryMetrics& metrics) const;

  const Job& job_;
  const parallel_io::CheckpointFolder folder_;
  bool used_, more_is_better_;
  Index begun_ = 0;
  std::optional<parallel_io::BestEvaluation> best_;
};

}  // namespace tesserec::train
