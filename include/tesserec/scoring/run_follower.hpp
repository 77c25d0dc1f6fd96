// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/timer.hpp>
#include <tesserec/scoring/live_model.hpp>
#include <tesserec/store/checkpoint.hpp>

namespace tesserec::scoring {

/// Checkpoint of a run, and the deltas that continue it, oldest first.
struct StateChain {
  std::vector<store::Checkpoint> states;
  std::string broken;  ///< reason why the last delta of the folder is not in the chain; empty = it is
};
/// Returns the chain of a checkpoint and those of `deltas`, oldest first, that continue it.
StateChain chain_of(const store::Checkpoint& checkpoint, const std::vector<store::Checkpoint>& deltas);
/// Returns the newest chain of a folder of checkpoints by its manifests. Without a whole checkpoint it has no states.
StateChain newest_chain(const std::string& checkpoints);

/// Returns the folder of checkpoints of a run; a folder without checkpoints in it stands for itself.
std::string checkpoints_of(const std::string& run);

/// Figures of a follower.
struct FollowFigures {
  Index deltas = 0, checkpoints = 0;  ///< states that were taken since the start
  Index refused = 0;                  ///< attempts to take a state that failed
  double written = 0;                 ///< time when the served state was written [seconds since 1970]
  double delay = 0;                   ///< seconds from then until it was served
};

/// Model of a run that is being trained: takes each delta and each checkpoint that the run writes.
class RunFollower {
 public:
  /// Opens the newest checkpoint of a run's folder, and applies the deltas that continue it. Throws Error if there is
  /// no whole checkpoint, or it is damaged.
  RunFollower(const Exec& exec, const std::string& run, std::optional<ServedFormat> rows);

  LiveModel& model() { return model_; }
  /// Looks for newer states, and takes them. Returns whether the state has changed. A state that is damaged, or does
  /// not continue the served one, is refused with a warning: the model stays as it is, and the state is tried again
  /// when the folder changes or a minute later. Only the constructor's thread may call it.
  bool poll();
  /// Returns the figures so far. Any thread may call it.
  FollowFigures figures() const;

 private:
  store::Continued served() const;
  void take(const StateChain& chain);
  void restart(const StateChain& chain);
  void taken(const store::Checkpoint& state, const std::string& what);
  void refuse(const std::string& reason);

  Exec exec_;
  std::string folder_;
  LiveModel model_;
  std::string seen_;     // folder's content at the last look
  std::string refusal_;  // reason of the last refusal; empty = all was taken
  Timer since_refusal_;
  mutable std::mutex mutex_;
  FollowFigures figures_;
};

}  // namespace tesserec::scoring
