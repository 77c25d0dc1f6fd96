// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec::serve {

/// Comparison of logged scores with those that the same states give again.
struct Replayed {
  Index requests = 0, scores = 0;  ///< of the log
  Index states = 0;                ///< states that were rebuilt
  Index differ = 0;                ///< scores that differ in a bit
  Index missing = 0;               ///< scores of states that are not there
  Index cut_lines = 0;             ///< 1 if the last line has no end, because the server was killed
  std::string first;               ///< first score that differs; empty = none
  std::vector<std::string> missing_states = {};

  bool proven() const { return differ == 0 && missing == 0; }
};

/// Computes the scores of a log again, and compares them bit for bit. `folder`: a run, whose checkpoints and
/// deltas give the states, a checkpoint, or a model folder. Throws Error if the log or a state is damaged, or the model
/// has other inputs than the log.
Replayed replay_scores(const Exec& exec, const std::string& log, const std::string& folder);

}  // namespace tesserec::serve
