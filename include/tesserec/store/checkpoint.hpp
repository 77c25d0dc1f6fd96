// SPDX-License-Identifier: Apache-2.0
/// A checkpoint's folder, as one process reads it: {state.h5 and its parts, manifest.json}.
#pragma once

#include <string>

#include <tesserec/store/state.hpp>

namespace tesserec::store {

inline constexpr const char* checkpoint_format = "tesserec-checkpoint";
inline constexpr std::int64_t checkpoint_version = 2;

/// Content of manifest.json, which says what state.h5 must hold.
struct Manifest {
  std::int64_t version = checkpoint_version;
  Index step = 0;
  std::string state;  ///< seal of state.h5, which covers its parts; empty in version 1
  /// Start of the run from a checkpoint elsewhere, "resume SEAL" or "start SEAL"; empty = the run began by itself.
  std::string origin;
  StateRecords datasets;
};

/// Step and folder of a checkpoint.
struct Checkpoint {
  Index step = 0;
  std::string folder;
  std::string origin = {};  ///< Manifest::origin
  std::string state_file() const { return folder + "/state.h5"; }
};

/// Returns the text of manifest.json, with its digest at the end.
std::string manifest_text(const Manifest& manifest);
/// Reads FOLDER/manifest.json; a newer version gives `version` and `step` alone. Throws Error if the file is missing or
/// malformed.
Manifest read_manifest(const std::string& folder);

/// Manifest and state of a checkpoint that is open for reading.
struct OpenCheckpoint {
  Manifest manifest;
  PartedFile state;
};
/// Opens a checkpoint's folder for reading and compares it with manifest and seals: every `shares`-th of its parts,
/// from part `share` on. Throws Error if the checkpoint is missing, damaged or of a newer version.
OpenCheckpoint open_checkpoint(const std::string& folder, Index share = 0, Index shares = 1);

}  // namespace tesserec::store
