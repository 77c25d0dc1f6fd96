// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tesserec::store {

/// Returns "BYTES bytes, CHECKSUM" of a file, the checksum over 64 blocks of 4 KiB from its first to its last bytes, of
/// a smaller file over all. It tells apart the files that ranks on different nodes see behind one path, without reading
/// them whole. Error: the file cannot be read.
std::string sampled_checksum(const std::string& path);

}  // namespace tesserec::store
