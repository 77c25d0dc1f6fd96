// SPDX-License-Identifier: Apache-2.0
/// Checkpoints and deltas in the folder of a run's checkpoints, as one process finds them.
#pragma once

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
/// Lists the folders of steps, whole or not, in any order. An absent folder has none.
std::vector<CheckpointEntry> checkpoint_entries(const std::string& path);
/// Lists the whole checkpoints, newest first. step_N.old counts only without a whole step_N. Logs a warning for each
/// unreadable manifest, and skips it.
std::vector<Checkpoint> whole_checkpoints(const std::string& path);
/// Lists the whole deltas, oldest first. Logs a warning for each folder without a readable manifest, and skips it.
std::vector<Checkpoint> whole_deltas(const std::string& path);

}  // namespace tesserec::store
