// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tesserec {

/// Returns the file's content, at most its first `most` bytes. Throws Error "PATH: cannot read WHAT: REASON", with the
/// system's reason.
std::string read_file(const std::string& path, const char* what = "it", std::size_t most = std::string::npos);

}  // namespace tesserec
