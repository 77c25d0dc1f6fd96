// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/store/checkpoint_folder.hpp>

namespace tesserec::store {

std::string manifest_text(const Manifest& manifest);

/// Reads FOLDER/manifest.json. Error when it is missing or not what manifest_text writes. Of a newer version
/// only `version` and `step` are read.
Manifest read_manifest(const std::string& folder);

}  // namespace tesserec::store
