// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::train {

/// Metrics of the training samples, of all steps (lifetime) and of those of the last lines of metrics.jsonl (window).
/// Integers come and go, so a window does not drift, and ranks change no bit.
class RunningMetrics {
 public:
  /// `names`: of metrics::names_of_sums(); `window`: lines, at least 1; `threshold`: predicts a click from there on.
  RunningMetrics(const comm::Communicator& comm, std::vector<std::string> names, Index window, double threshold);

  /// This rank's samples of a micro-batch and what the model said of them [B].
  void add(const std::vector<float>& probabilities, const data::Batch& batch);
  /// Ends a line: window_NAME and lifetime_NAME of each metric. Collective.
  std::vector<std::pair<std::string, double>> line();

  /// For a checkpoint: SampleSums::words integers each of the lifetime, of the samples since the last line and of each
  /// line of the window, oldest first; over all ranks. Collective.
  std::vector<std::int64_t> state() const;
  /// Goes on from there, on any number of ranks; from nothing where it is empty.
  void restore(const std::vector<std::int64_t>& state);

 private:
  const comm::Communicator& comm_;
  std::vector<std::string> names_;
  Index window_;
  double threshold_;
  metrics::SampleSums since_;                // this rank's, since the last line
  metrics::SampleSums lifetime_, recently_;  // over all ranks: up to the last line, the sum of lines_
  std::deque<metrics::SampleSums> lines_;
};

}  // namespace tesserec::train
