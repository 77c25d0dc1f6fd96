// SPDX-License-Identifier: Apache-2.0
/// The state of a folder's run, by its files and its lock (docs/formats.md).
#pragma once

#include <string>

namespace tesserec::store {

struct RunEnd {
  /// State in result.json: "finished", "auc", "patience", "stopped by signal 15", "diverged" or "failed". Without one
  /// of the newest start: "running", "crashed" (its lock is free) or "running or crashed" (unknown).
  std::string state;
  std::string detail;   ///< why it ended, or which process holds the lock; may be empty
  bool stale = false;   ///< result.json is of another start than run.json, so it says nothing of this one
  bool in_use = false;  ///< the lock is held
  /// Tells whether the run did all that it was told to.
  bool is_done() const { return state == "finished" || state == "auc" || state == "patience"; }
  /// "diverged: step 3: the loss is not a number", "crashed".
  std::string text() const;
};

/// Changes nothing. Error: run.json or result.json is no JSON object.
RunEnd run_end(const std::string& folder);

/// Its state where a run has begun and not done all that it was told to; "started" where its files do not say.
std::string state_of_started(const std::string& folder);

}  // namespace tesserec::store
