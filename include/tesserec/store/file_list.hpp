// SPDX-License-Identifier: Apache-2.0
/// The files that a deck's lists of paths and globs name.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tesserec::store {

/// Returns the paths that `pattern` names: a path that exists as it is written, whatever characters it has, else the
/// matches of its *, ? and [...] in ascending order of bytes. Folders that exist as written are taken so, too. Empty
/// where nothing matches. Error: a folder that cannot be read.
std::vector<std::string> matching_paths(const std::string& pattern);

/// Returns the files of a list, in its order. `key` names the list in errors: a path or pattern that matches nothing,
/// one file twice, by device and inode: under two spellings, by a link, or by two patterns.
std::vector<std::string> list_files(const std::vector<std::string>& patterns, const std::string& key);

/// Returns the files that both lists name, under the names that `patterns` gives them. Files that do not exist are
/// passed over.
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
