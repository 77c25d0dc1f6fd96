// SPDX-License-Identifier: Apache-2.0
/// Ranges of the raw text, what the first reading found in each, and the scratch files that hold it.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "row_stream.hpp"
#include "scratch_file.hpp"
#include "token_runs.hpp"

namespace tesserec::preprocess {

/// Beginning of the names of the files with kept rows. Only the start that wrote such a file uses it, so that it need
/// not be on the disk.
inline constexpr const char* kept_files = "rows-";

/// Rows of a range that the first reading kept.
struct KeptPiece {
  ScratchPiece rows;        ///< without bytes: in the KeptMemory of the rank that read them, at place `first`
  ScratchPiece dictionary;  ///< list of the tokens of their run
  Index count = 0;          ///< number of rows
  Index block = 0;          ///< text block of the last row
};

/// Range of a raw file and what the first reading found in it.
struct TextRange {
  FileRange range;
  RangeCount count;
  std::array<Index, 2> labels{};      ///< rows with 0 and with 1 of the first label
  std::vector<Index> further_labels;  ///< the same of each further one [2 (T - 1)]
  Index unread_labels = 0;
  Index weightless = 0;          ///< rows to learn from with weight 0
  std::vector<Index> values;     ///< values of each sparse feature [F]
  std::vector<Index> key_bytes;  ///< length of each key column's longest text [keys]
  std::string moments_path;      ///< scratch file with the moments of the blocks, if numbers are measured
  /// Moments [blocks, columns] row-major, in pieces of whole blocks.
  std::vector<ScratchPiece> moments;
  std::string kept_path;        ///< scratch file with the rows, if they are kept
  std::vector<KeptPiece> kept;  ///< the rows, in order
  // Set when all ranges are known:
  Index first_row = 0;             ///< number of the first row among those of all ranges
  std::vector<Index> first_value;  ///< number of the first value among those of all ranges [F]
};

/// Ranges that one rank read one after the other, and their token counts. A scratch file holds them.
struct ReadRanges {
  std::vector<TextRange> ranges;
  std::vector<TokenRun> runs;
};

std::string pack_ranges(const ReadRanges& read);
/// Reads back the result of pack_ranges(). `path`: the scratch file of runs and moments. That of kept rows is beside
/// it.
ReadRanges unpack_ranges(const std::string& path, std::string_view bytes);

/// Returns the path of the file with the kept rows of the ranges in a scratch file.
std::string kept_path(const std::string& path);

/// Returns the places of ranges.
std::vector<FileRange> file_ranges(std::span<const TextRange> ranges);

/// Sorts the ranges by their places in the text, and numbers their rows and values.
void order_ranges(std::vector<TextRange>& ranges);

/// Returns which of the ordered ranges a rank reads in the second pass: a share of the text.
Range deal_read_ranges(std::span<const RawFile> files, std::span<const TextRange> ranges, int rank, int ranks);

}  // namespace tesserec::preprocess
