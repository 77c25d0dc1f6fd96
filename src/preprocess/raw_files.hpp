// SPDX-License-Identifier: Apache-2.0
/// Raw files of a run, and the ranges of their text that each rank reads.
#pragma once

#include <cstdint>
#include <functional>
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
  Index text = 0;        ///< size of a packed file's text, bytes, as far as the largest packed file's beginning tells
  std::string sampled = {};  ///< store::sampled_checksum() when the file was found
};

/// Returns a raw file of the deck's `key`, without its stamp, its row groups and the size of its text. Throws Error as
/// find_raw_files() does.
RawFile inspected(const std::string& path, const std::string& key);

/// Finds files by the paths or globs of the deck's `key`, with matches sorted. Throws Error for a glob without a match,
/// a folder, a file that is empty, unreadable or not text, a file given twice, or ranks that see other files.
/// Collective: rank 0 lists and inspects the files.
std::vector<RawFile> find_raw_files(const comm::Communicator& comm, const std::vector<std::string>& patterns,
                                    const std::string& key);

/// Unit in which text is dealt to the ranks, bytes.
constexpr Index text_block = Index{64} << 10;

/// Unit of a plain file that is read and counted as one range at most, bytes.
constexpr Index range_bytes = Index{64} << 20;
/// The same of a Parquet file, row groups.
constexpr Index range_row_groups = 8;

/// Lines of file number `file` that begin in the range `bytes` of its text, or of a Parquet file its row groups in the
/// range.
struct FileRange {
  Index file = 0;
  Range bytes;
};

/// Returns one rank's ranges. The ranks' ranges, in rank order, are the whole text except for the ranges `done`; the
/// largest share is as small as that order allows. Several ranks, some six at most, may read one packed file; each
/// unpacks also what stands before its range. A single rank reads a file of text if `whole_files`. Large plain files
/// are also cut at multiples of range_bytes.
std::vector<FileRange> deal_ranges(std::span<const RawFile> files, int rank, int ranks, bool whole_files = false,
                                   std::span<const FileRange> done = {});

/// Returns about how many bytes of text a range has, for balance and progress.
double text_bytes(const RawFile& file, const Range& range);

/// Returns about how many bytes of text cost as much as what a rank passes over that begins at `begin` of a file's
/// text.
double passing_bytes(const RawFile& file, Index begin);

/// Throws Error, naming the first file that was replaced or written since it was found.
void require_unchanged(std::span<const RawFile> files);

/// Range of text that was read, and LineReader::digest() and digested() of it.
struct ReadText {
  FileRange range;
  std::uint64_t digest = 0;
  Index digested = 0;
};

/// Returns the XXH3_64 of each file's bytes on disk, as `xxhsum -H3` prints it. Throws Error, naming the file, if a
/// range of `read`, in order, has another digest now; the rank that finds it calls changed(), if given, before.
/// Collective: the ranks share the files.
std::vector<std::uint64_t> digests(const comm::Communicator& comm, std::span<const RawFile> files,
                                   std::span<const ReadText> read = {}, const std::function<void()>& changed = {});

}  // namespace tesserec::preprocess
