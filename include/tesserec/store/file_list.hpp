// SPDX-License-Identifier: Apache-2.0
/// The files that a deck's lists of paths and globs name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tesserec::store {

/// Returns the paths that `pattern` names: an existing path as written, folders too, else the matches of *, ? and [...]
/// in ascending order of bytes, perhaps none. Error: a folder that cannot be read.
std::vector<std::string> matching_paths(const std::string& pattern);

/// Returns a list's files in order. Errors name `key`: a pattern without a match, one file twice, by device and inode.
std::vector<std::string> list_files(const std::vector<std::string>& patterns, const std::string& key);

/// Returns the files that both lists name, as `patterns` spells them; skips files that do not exist.
std::vector<std::string> files_of_both(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& others);

/// Identity of the file that a path names, and time of its last write.
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
