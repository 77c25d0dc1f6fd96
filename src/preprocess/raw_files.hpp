// SPDX-License-Identifier: Apache-2.0
/// Raw files of a run, and the ranges of their text that each rank reads.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "byte_reader.hpp"
#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {

/// Raw file of a run.
struct RawFile {
  std::string path;
  Index bytes = 0;  ///< size on disk, bytes
  Compression compression = Compression::none;
  store::Stamp stamp = {};  ///< stamp when the file was found, as this rank sees it
  bool parquet = false;
  Index row_groups = 0;  ///< row groups of a Parquet file
};

/// Finds files by the paths or globs of the deck's `key`, with matches sorted. Throws Error for a glob without a match,
/// a folder, a file that is empty, unreadable or not text, a file given twice, or ranks that see other files.
/// Collective: rank 0 lists and inspects the files.
std::vector<RawFile> find_raw_files(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                                    const std::string& key);

/// Unit in which the text of a plain file is dealt to the ranks, bytes.
constexpr Index text_block = Index{64} << 10;

/// Lines of file number `file` that begin in the range `bytes` of its text, or of a Parquet file its row groups in the
/// range.
struct FileRange {
  Index file = 0;
  Range bytes;
};

/// Returns one rank's ranges. The ranks' ranges, in rank order, are the whole text; the largest share is as small as
/// that order allows. A single rank reads a packed file and, if `whole_files`, any other.
std::vector<FileRange> deal_ranges(std::span<const RawFile> files, int rank, int ranks, bool whole_files = false);

/// Throws Error, naming the first file that was replaced or written since it was found.
void require_unchanged(std::span<const RawFile> files);

/// Returns the XXH3_64 of each file's bytes on disk, as `xxhsum -H3` prints it. Collective: the ranks share the files.
std::vector<std::uint64_t> digests(const comm::Communicator& comm, std::span<const RawFile> files);

}  // namespace tesserec::preprocess
