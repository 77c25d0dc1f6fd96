// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tesserec {

/// The file's bytes, of a longer one the first `most`. Error: "PATH: cannot read WHAT: the system's reason".
std::string read_file(const std::string& path, const char* what = "it", std::size_t most = std::string::npos);

}  // namespace tesserec
