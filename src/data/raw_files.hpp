// SPDX-License-Identifier: Apache-2.0
/// The raw files of a run, and which part of their text each rank reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::data {

struct RawFile {
  std::string path;
  Index bytes = 0;     ///< on disk
  bool gzip = false;   ///< by its first two bytes
  store::Stamp stamp;  ///< when it was found, as this rank sees it
};

/// Finds files by paths or globs, matches in ascending order of bytes. Errors name the deck's `key`: no match, a
/// folder, an empty or unreadable file, a file named twice. Collective; rank 0 looks.
std::vector<RawFile> find_raw_files(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                                    const std::string& key);

/// The text of a plain file is cut only at multiples of this.
constexpr Index text_block = Index{64} << 10;

/// The lines of `file` that begin in [bytes.begin, bytes.end) of its text.
struct FileRange {
  Index file = 0;
  Range bytes;
};

/// Returns one rank's ranges: the ranks' ranges in order are the whole text. A .gz file goes whole to one rank.
std::vector<FileRange> deal_ranges(std::span<const RawFile> files, int rank, int ranks);

/// Error that names the first file that is not the one that was found any more, or was written since.
void require_unchanged(std::span<const RawFile> files);

/// XXH3_64 of each file's bytes on disk, as `xxhsum -H3` prints it. Collective; ranks share the files.
std::vector<std::uint64_t> digests(const comm::Communicator& comm, std::span<const RawFile> files);

}  // namespace tesserec::data
