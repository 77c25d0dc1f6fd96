// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/timer.hpp>
#include <tesserec/scoring/live_model.hpp>
#include <tesserec/store/checkpoint_list.hpp>

namespace tesserec::scoring {

/// Figures of a follower.
struct FollowFigures {
  Index deltas = 0, checkpoints = 0;  ///< states that were taken since the start
  Index refused = 0;                  ///< attempts to take a state that failed
  Index lost = 0;                     ///< states that the run removed or replaced while they were read
  double written = 0;                 ///< time when the served state was written [seconds since 1970]
  double delay = 0;                   ///< seconds from then until it was served
};

/// Model of a run that is being trained: takes each delta and each checkpoint that the run writes.
class RunFollower {
 public:
  /// Opens the newest checkpoint of a run's folder, and applies the deltas that continue it. Waits for the run's first
  /// checkpoint. `vocabulary`: data set of ServedModel::read_vocabularies(). Throws Error if the checkpoint is damaged,
  /// and Stopped if a signal comes while it waits.
  RunFollower(const Exec& exec, const std::string& run, std::optional<ServedFormat> rows,
              const std::string& vocabulary = {});

  LiveModel& model() { return *model_; }
  /// Looks for newer states, and takes them; ends early after a signal. Returns whether the state has changed. A state
  /// that is damaged, or does not continue the served one, is refused with a warning: the model stays as it is, and the
  /// state is tried again a minute later. One that the run removes while it is read is counted. For one thread at a
  /// time.
  bool poll();
  /// Returns the figures so far. Any thread may call it.
  FollowFigures figures() const;

 private:
  void open(const std::string& run, std::optional<ServedFormat> rows, const std::string& vocabulary);
  store::StateChain newest_chain();
  bool take(const store::StateChain& chain);
  bool restart(const store::StateChain& chain);
  bool begin(const store::Checkpoint& state);
  ModelDelta delta_of(const store::Checkpoint& state, const ServedModel& model) const;
  void taken(const store::Checkpoint& state, Index checkpoints, Index deltas, const std::string& what);
  void refuse(const std::string& reason);
  void lose();

  Exec exec_;
  std::string folder_;
  store::Checkpoint served_;
  std::unique_ptr<LiveModel> model_;
  std::string seen_;                          // folder's content at the last look
  std::map<std::string, std::string> said_;   // folders that were skipped at the last look, and why
  std::optional<store::Checkpoint> reading_;  // state that is being taken
  double written_ = 0;                        // time when that state was written
  std::optional<store::Checkpoint> refused_;  // state that is not tried again before retry
  std::string refusal_;                       // reason of the last refusal; empty = all was taken
  Timer since_refusal_;
  int losses_ = 0;  // states in a row that were lost
  mutable std::mutex mutex_;
  FollowFigures figures_;
};

}  // namespace tesserec::scoring
