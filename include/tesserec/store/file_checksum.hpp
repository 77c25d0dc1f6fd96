// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include <tesserec/core/index.hpp>

namespace tesserec::store {

struct FileChecksum {
  Index bytes = 0;             ///< of the whole file
  std::uint64_t checksum = 0;  ///< of the share that was read
};

/// Reads share `share` of `of` of a file. The checksums of all shares, added modulo 2^64, are bytes_checksum of all its
/// bytes under the name "file". Error when it cannot be read.
FileChecksum file_checksum(const std::string& path, Index share = 0, Index of = 1);

/// "BYTES CHECKSUM" of a file: its seal, which is not compared with its bytes, or, without one, that of all its bytes.
/// Error when it cannot be read.
std::string file_content(const std::string& path);

}  // namespace tesserec::store
