// SPDX-License-Identifier: Apache-2.0
/// State of a folder's run, from its files and its lock (docs/formats.md).
#pragma once

#include <string>

namespace tesserec::store {

/// State of a run, and the reason for it.
struct RunEnd {
  /// State in result.json: "finished", "auc", "patience", "stopped by signal 15", "diverged" or "failed". State of a
  /// start without a result: "running", "crashed" (its lock is free) or "running or crashed" (unknown).
  std::string state;
  std::string detail;   ///< reason of the end, or process that holds the lock; may be empty
  bool stale = false;   ///< true if result.json belongs to another start than run.json and says nothing of this one
  bool in_use = false;  ///< true if the lock is held
  /// Returns whether the run did all that it was told to do.
  bool is_done() const { return state == "finished" || state == "auc" || state == "patience"; }
  /// Returns the state and its detail, such as "diverged: step 3: the loss is not a number" or "crashed".
  std::string text() const;
};

/// Reads the state of a folder's run; changes nothing. Throws Error if run.json or result.json is no JSON object.
RunEnd run_end(const std::string& folder);

/// Returns the state of a run that has begun and has not done all that it was told to do. Returns "started" if run.json
/// is missing or the files call the run done.
std::string state_of_started(const std::string& folder);

}  // namespace tesserec::store
