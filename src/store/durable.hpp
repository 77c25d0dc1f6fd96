// SPDX-License-Identifier: Apache-2.0
// File system calls that survive a power cut.
#pragma once

#include <string>

namespace tesserec::store {

/// Waits until a file or folder is on the disk.
void sync_path(const std::string& path);
/// Writes a small file and waits for it.
void write_durably(const std::string& path, const std::string& text);
/// One rename in the same folder, then the folder is synced.
void rename_durably(const std::string& from, const std::string& to);

}  // namespace tesserec::store
