// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/store/checkpoint_folder.hpp>

namespace tesserec::store {

/// The end of every message about a damaged checkpoint.
inline constexpr const char* another_checkpoint =
    "; remove the folder, or name another checkpoint with checkpoint.resume";

std::string manifest_text(const Manifest& manifest);

/// Reads FOLDER/manifest.json. Error when it is missing or not what manifest_text writes. Of a newer version
/// only `version` and `step` are read.
Manifest read_manifest(const std::string& folder);

/// A rank's share of opening a file with its comparison: every comm.size()-th part. `seal`: what manifest.json says.
/// Not collective.
PartedFile open_verified(const comm::Communicator& comm, const std::string& path, const std::string* seal = nullptr);

/// Checks a checkpoint of version 1, whose state.h5 has no seal: Error when its size or a byte outside its datasets is
/// not what the manifest says. The datasets have checksums of their own.
void require_version_1(const std::string& folder);

}  // namespace tesserec::store
