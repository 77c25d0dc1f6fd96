// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tesserec {

/// Returns the file's content, at most its first `max_bytes` bytes. Throws Error "PATH: cannot read NOUN: REASON", with
/// the system's reason.
std::string read_file(const std::string& path, const char* noun = "the file",
                      std::size_t max_bytes = std::string::npos);

}  // namespace tesserec
