// SPDX-License-Identifier: Apache-2.0
/// A checkpoint's folder, as one process reads it: {state.h5 and its parts, manifest.json}.
#pragma once

#include <string>

#include <tesserec/store/state.hpp>

namespace tesserec::store {

inline constexpr const char* checkpoint_format = "tesserec-checkpoint";
inline constexpr std::int64_t checkpoint_version = 2;

/// manifest.json: what state.h5 must be.
struct Manifest {
  std::int64_t version = checkpoint_version;
  Index step = 0;
  std::string state;  ///< seal of state.h5, which speaks for its parts; empty in version 1
  std::string
      origin;  ///< how its run began: "resume SEAL" or "start SEAL", of a checkpoint elsewhere; empty = by itself
  StateRecords datasets;
};

struct Checkpoint {
  Index step = 0;
  std::string folder;
  std::string origin = {};  ///< Manifest::origin
  std::string state_file() const { return folder + "/state.h5"; }
};

std::string manifest_text(const Manifest& manifest);
/// Reads FOLDER/manifest.json; of a newer version only `version` and `step`. Error when missing or malformed.
Manifest read_manifest(const std::string& folder);

struct OpenCheckpoint {
  Manifest manifest;
  PartedFile state;
};
/// Opens a checkpoint's folder for reading, and compares it with manifest and seals: of its parts every `of`-th from
/// part `share` on. Error when there is none, or it is damaged or of a newer version.
OpenCheckpoint open_checkpoint(const std::string& folder, Index share = 0, Index of = 1);

}  // namespace tesserec::store
