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

/// bytes_checksum of all that lies outside the datasets of an HDF5 file, in order.
std::uint64_t metadata_checksum(const std::string& path, const StateRecords& datasets);

}  // namespace tesserec::store
