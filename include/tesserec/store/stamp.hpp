// SPDX-License-Identifier: Apache-2.0
/// Identity of the file that a path names, and time of its last write.
#pragma once

#include <cstdint>
#include <string>

namespace tesserec::store {

struct Stamp {
  std::uint64_t device = 0, file = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< of the last write
  bool operator==(const Stamp&) const = default;
};

/// Error when there is no such file.
Stamp stamp_of(const std::string& path);

/// Error when `path` is another file now, or was written since.
void require_unchanged(const std::string& path, const Stamp& stamp);

}  // namespace tesserec::store
