// SPDX-License-Identifier: Apache-2.0
/// Rows that the first reading keeps in memory or on a scratch file, so that their text is not read a second time.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "block_targets.hpp"
#include "kept_memory.hpp"
#include "scratch_file.hpp"
#include "text_ranges.hpp"
#include "token_map.hpp"

namespace tesserec::preprocess {

class ColumnTally;
struct Encoding;
struct Survey;

/// Returns whether rows of a layout can be kept: each feature has one value and a vocabulary, and nothing is joined.
bool keeps_rows(const RowLayout& layout);

/// Rows of a range, column by column.
struct KeptChunk {
  Index rows = 0;
  std::vector<std::vector<double>> numbers;  ///< numbers [K][rows]; NaN = missing
  /// Values [F][rows]: 1 + the token's number among those of the feature in its run; 0 = missing.
  std::vector<std::vector<std::uint32_t>> values;
  BlockTargets targets;

  KeptChunk(std::size_t columns, std::size_t features) : numbers(columns), values(features) {}
  void clear();
};

/// Writer of the rows of some ranges, of which those that do not fit `kept`, and all their tokens, go to a scratch
/// file.
class KeptWriter {
 public:
  /// Creates the file. `memory`: memory of this rank, bytes. `kept` must outlive this object.
  KeptWriter(const std::string& path, const RowLayout& layout, Index memory, KeptMemory& kept);

  /// Appends a row's targets and numbers. `block`: its block of text.
  void add(const Row& row, Index block);
  /// Returns the values of one feature in the chunk, to which those of rows are appended.
  std::vector<std::uint32_t>& values(std::size_t feature) { return chunk_.values[feature]; }
  /// Returns whether a chunk is full. Each row must have its values then.
  bool full() const { return chunk_.rows >= most_rows_; }
  /// Writes the rows since the last chunk, if there are any, and appends the chunk to `chunks`.
  void write_chunk(std::vector<KeptPiece>& chunks);
  /// Writes the tokens of a run. Returns the piece that lists them.
  ScratchPiece write_dictionary(std::span<const TokenCounts> counts);
  /// Ends the file.
  void finish() { file_.finish(); }

 private:
  const RowLayout& layout_;
  KeptMemory& kept_;
  ScratchWriter file_;
  KeptChunk chunk_;
  std::vector<double> numbers_;  ///< numbers of the chunk's rows [rows, K] row-major
  Index block_ = 0;              ///< text block of the last row
  Index most_rows_;
  std::string packed_;
};

/// Reader of the kept rows of some of this rank's ranges.
class KeptRows {
 public:
  /// Takes the survey and the encoding, which must outlive this object, and the numbers of ranges among the rank's, all
  /// of which have kept rows.
  KeptRows(const Survey& survey, const Encoding& encoding, Range which);

  /// Reads the next chunk. Returns false at the end of all ranges. Throws Error if a raw file has changed by then.
  bool next();
  /// Returns the last chunk, the number of its range among the rank's, and the block of text in which it ends.
  const KeptChunk& chunk() const { return chunk_; }
  Index range() const { return range_; }
  Index block() const { return block_; }
  /// Writes the chunk's dense features [rows, K] and ids [rows, F], row-major, and counts its values.
  void encode(float* dense, std::int32_t* ids, ColumnTally& tally) const;

 private:
  /// Consecutive tokens of one feature in a run.
  struct DictionaryPiece {
    std::size_t feature = 0;
    Index tokens = 0;
    ScratchPiece piece;
  };
  const TextRange& text_range() const;
  std::string token(std::size_t feature, std::uint32_t value) const;
  void load_dictionary(const ScratchPiece& list);
  void find_ids(std::size_t feature);

  const Survey& survey_;
  const Encoding& encoding_;
  Index range_, end_;
  std::size_t next_ = 0;  ///< number of the next chunk in the range
  Index block_ = 0;
  KeptChunk chunk_;
  Index dictionary_ = -1;  ///< place of the loaded run's dictionary in the range's file
  std::string path_;       ///< this file
  std::vector<DictionaryPiece> pieces_;
  std::vector<std::vector<std::int32_t>> ids_;  ///< ids of values [F][1 + tokens]
};

}  // namespace tesserec::preprocess
