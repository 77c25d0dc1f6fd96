// SPDX-License-Identifier: Apache-2.0
/// The files that a deck's lists of paths and globs name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tesserec::store {

/// Returns the paths that `pattern` names: an existing path, also of a folder, as written, else the matches of *, ? and
/// [...] in ascending order of bytes. There may be none. Throws Error if a folder cannot be read.
std::vector<std::string> matching_paths(const std::string& pattern);

/// Returns the files of a list of patterns, in order. Throws Error with `key` if a pattern has no match or if one file
/// (device and inode) is named twice.
std::vector<std::string> list_files(const std::vector<std::string>& patterns, const std::string& key);

/// Returns the files that both lists name, as `patterns` spells them. Skips files that do not exist.
std::vector<std::string> files_of_both(const std::vector<std::string>& patterns,
                                       const std::vector<std::string>& others);

/// Identity and size [bytes] of the file that a path names, and the time of its last write.
struct Stamp {
  std::uint64_t device = 0, file = 0, bytes = 0;
  std::int64_t seconds = 0, nanoseconds = 0;  ///< time of the last write
  bool operator==(const Stamp&) const = default;
};

/// Returns the stamp of a file. Throws Error if there is no such file.
Stamp stamp_of(const std::string& path);

/// Throws Error if `path` names another file now, or if the file was written or removed since `stamp`.
void require_unchanged(const std::string& path, const Stamp& stamp);

}  // namespace tesserec::store
