// SPDX-License-Identifier: Apache-2.0
/// Checkpoints and deltas in the folder of a run's checkpoints, as one process finds them.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include <tesserec/store/checkpoint.hpp>

namespace tesserec::store {

inline constexpr const char* delta_ending = ".delta";

/// Folder step_N and its ending: "" is a checkpoint, ".tmp" is being written, ".old" was whole and is being replaced,
/// ".trash" is being removed. A delta's ending begins with ".delta".
struct CheckpointEntry {
  std::string folder;
  Index step = 0;
  std::string ending;
};

/// Returns the folder of a step's checkpoint in a folder of checkpoints.
std::string checkpoint_name(const std::string& path, Index step);
/// Returns whether a folder is that of a run, with run.json or checkpoints.
bool is_run(const std::string& folder);
/// Returns the folder of a run's checkpoints: the one that run.json names, as it does for a run with checkpoint.path,
/// else checkpoints/ in the run's folder. Any other folder stands for itself. Throws Error if run.json is damaged.
std::string checkpoints_of(const std::string& run);
/// Lists the folders of steps, whole or not, in any order. An absent folder has none.
std::vector<CheckpointEntry> checkpoint_entries(const std::string& path);
/// Receiver of the folders that are left out of a list, each with a line that says why.
using Skipped = std::function<void(const CheckpointEntry& entry, const std::string& line)>;
/// Logs the line as a warning.
void warn_skipped(const CheckpointEntry& entry, const std::string& line);
/// Lists the whole checkpoints, newest first. step_N.old counts only without a whole step_N. Skips unreadable
/// manifests.
std::vector<Checkpoint> whole_checkpoints(const std::string& path, const Skipped& skipped = warn_skipped);
/// Lists the whole deltas of steps after `after`, oldest first. Skips folders without a readable manifest of a delta.
std::vector<Checkpoint> whole_deltas(const std::string& path, Index after = -1, const Skipped& skipped = warn_skipped);
/// Returns whether the folder of a listed state still has the state, by its manifest.
bool is_unchanged(const Checkpoint& state);

/// A state of a run, such as a checkpoint, and the deltas that continue it, oldest first.
struct StateChain {
  std::vector<Checkpoint> states;
  std::string broken;  ///< reason why a delta after them does not continue them; empty = there is none
};
/// Returns the chain of a state and those of `deltas`, oldest first, that continue it.
StateChain chain_of(const Checkpoint& first, const std::vector<Checkpoint>& deltas);

}  // namespace tesserec::store
