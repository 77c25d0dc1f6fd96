// SPDX-License-Identifier: Apache-2.0
/// Folder of a checkpoint or a delta, as one process reads it: {state.h5 and its parts, manifest.json}.
#pragma once

#include <optional>
#include <string>

#include <tesserec/store/state.hpp>

namespace tesserec::store {

inline constexpr const char* checkpoint_format = "tesserec-checkpoint";
inline constexpr const char* delta_format = "tesserec-delta";
inline constexpr std::int64_t checkpoint_version = 2;  ///< of both formats

/// State that a delta continues: that of a checkpoint or of the delta before it.
struct Continued {
  Index step = 0;
  std::string seal;  ///< Manifest::state
  bool operator==(const Continued&) const = default;
};

/// Content of manifest.json, which says what state.h5 must hold.
struct Manifest {
  std::int64_t version = checkpoint_version;
  Index step = 0;
  std::string state;  ///< seal of state.h5, which covers its parts; empty in version 1
  /// Start of the run from a checkpoint elsewhere, "resume SEAL" or "start SEAL"; empty = the run began by itself.
  std::string origin;
  StateRecords datasets;
  std::optional<Continued> continues = {};  ///< set for a delta alone
};

/// Step and folder of a checkpoint or a delta.
struct Checkpoint {
  Index step = 0;
  std::string folder;
  std::string origin = {};                  ///< Manifest::origin
  std::string seal = {};                    ///< Manifest::state
  std::optional<Continued> continues = {};  ///< Manifest::continues
  std::string state_file() const { return folder + "/state.h5"; }
};

/// Returns the text of manifest.json, with its digest at the end.
std::string manifest_text(const Manifest& manifest);
/// Reads FOLDER/manifest.json; a newer version gives `version` and `step` alone. Throws Error if the file is missing or
/// malformed.
Manifest read_manifest(const std::string& folder);

/// Manifest and state of a checkpoint or a delta that is open for reading.
struct OpenCheckpoint {
  Manifest manifest;
  PartedFile state;
};
/// Opens a checkpoint's folder for reading and compares it with manifest and seals: every `shares`-th of its parts,
/// from part `share` on; with 0 shares none, which the caller compares by PartedFile::verify_parts() before it reads
/// them. Throws Error if the checkpoint is missing, damaged, of a newer version, or a delta.
OpenCheckpoint open_checkpoint(const std::string& folder, Index share = 0, Index shares = 1);
/// Opens a delta's folder as open_checkpoint() opens a checkpoint's. Throws Error for a checkpoint.
OpenCheckpoint open_delta(const std::string& folder, Index share = 0, Index shares = 1);

}  // namespace tesserec::store
