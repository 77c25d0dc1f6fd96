// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <string>
#include <utility>
#include <vector>

#include <tesserec/data/batch.hpp>
#include <tesserec/metrics/sample_sums.hpp>

namespace tesserec::train {

/// Metrics of the training samples: of all steps (lifetime) and of the steps in the last lines of metrics.jsonl
/// (window). Integers are added and subtracted, so a window does not drift and the number of ranks changes no bit.
class RunningMetrics {
 public:
  /// Takes `names` out of metrics::names_of_sums(), the window in lines (at least 1), and the probability from which a
  /// click is predicted.
  RunningMetrics(const comm::Communicator& comm, std::vector<std::string> names, Index window, double threshold);

  /// Adds this rank's samples of a micro-batch that have label `task`, with all predicted probabilities [B, T].
  void add(const std::vector<float>& probabilities, const data::Batch& batch, Index task = 0);
  /// Ends a line. Returns window_NAME and lifetime_NAME of each metric. Collective.
  std::vector<std::pair<std::string, double>> line();

  /// Returns SampleSums::words integers, summed over all ranks, of the lifetime, the samples since the last line, and
  /// each line of the window, oldest first. A checkpoint stores them. Collective.
  std::vector<std::int64_t> state() const;
  /// Continues from a state(), on any number of ranks; does nothing if it is empty.
  void restore(const std::vector<std::int64_t>& state);

 private:
  const comm::Communicator& comm_;
  std::vector<std::string> names_;
  Index window_;
  double threshold_;
  metrics::SampleSums since_;                   // sums of this rank since the last line
  metrics::SampleSums lifetime_, window_sums_;  // sums over all ranks: up to the last line, and of lines_
  std::deque<metrics::SampleSums> lines_;
};

}  // namespace tesserec::train
