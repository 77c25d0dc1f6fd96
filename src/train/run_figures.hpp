// SPDX-License-Identifier: Apache-2.0
/// Figures of a run that has ended: digests, times, bytes and memory.
#pragma once

#include <vector>

#include <tesserec/train/session.hpp>
#include <tesserec/train/train_result.hpp>

namespace tesserec::train {

/// Samples and steps that this process has trained, and their time.
struct TrainedSamples {
  void add(Index count, double step) {
    samples += count;
    seconds += step;
    step_seconds.push_back(float(step));
  }
  /// Returns the training rate, or 0 before the first step.
  double samples_per_second() const { return seconds > 0 ? double(samples) / seconds : 0; }

  Index samples = 0;
  double seconds = 0;  ///< seconds in steps, waits for their batches included
  std::vector<float> step_seconds;
};

/// Adds digests, times, bytes, memory and the tables' figures to the result. Throws Diverged if rows of 16 bits have
/// numbers that are not finite. Collective.
void add_figures(Session& session, const TrainedSamples& trained, TrainResult& result);

}  // namespace tesserec::train
