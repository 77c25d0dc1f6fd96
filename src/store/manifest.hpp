// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/store/checkpoint_folder.hpp>

namespace tesserec::store {

/// The end of every message about a damaged checkpoint.
inline constexpr const char* another_checkpoint =
    "; remove the folder, or name another checkpoint with checkpoint.resume";

std::string manifest_text(const Manifest& manifest);

/// Reads FOLDER/manifest.json; of a newer version only `version` and `step`. Error when missing or malformed.
Manifest read_manifest(const std::string& folder);

/// Opens a file and compares this rank's share of it, every comm.size()-th part; `seal`: manifest.json's. Not
/// collective.
PartedFile open_verified(const comm::Communicator& comm, const std::string& path, const std::string* seal = nullptr);

/// Error unless state.h5 of version 1, which has no seal, has the manifest's size and checksum outside its datasets.
void require_version_1(const std::string& folder);

}  // namespace tesserec::store
