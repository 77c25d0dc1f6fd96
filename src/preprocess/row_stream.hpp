// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "line_reader.hpp"
#include "raw_files.hpp"
#include "split_records.hpp"
#include <tesserec/parquet/reader.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::preprocess {

/// Bad row of a range.
struct BadRow {
  Index line = 0;  ///< number of the line in the range, from 1
  std::string reason;
};

/// Counts of a range of a file.
struct RangeCount {
  Index file = 0;
  Index lines = 0;
  Index rows = 0;
  Index bad_rows = 0;
  Index unlabeled = 0;                   ///< bad rows without a label
  Index not_utf8 = 0;                    ///< rows with bytes that are not UTF-8; 0 of Parquet
  Index gzip_members = 0;                ///< members of a .gz file in the range that has its end, else 0
  std::uint64_t text = 0;                ///< LineReader::digest() of the range; 0 of Parquet
  Index digested = 0;                    ///< LineReader::digested() of the range
  std::vector<BadRow> bad;               ///< first bad rows, at most bad_rows_kept()
  std::map<std::string, Index> reasons;  ///< bad rows by reason, without the values in it
  Index row_lines = 1;                   ///< lines of the last row, which end at `lines`
};

/// Stream of the good rows of ranges, in order. Empty lines are ignored at the end of a file and bad rows elsewhere.
/// Comments are ignored.
class RowStream {
 public:
  /// Returns the number of bad rows to keep: many of rows to score, where each loss matters, else a few examples.
  static std::size_t bad_rows_kept(Targets targets) { return targets == Targets::unread ? 100 : 5; }

  /// Takes the files and this rank's ranges of them. The spans and the format must outlive this object.
  RowStream(std::span<const RawFile> files, std::span<const FileRange> ranges, const RowFormat& format,
            BadRows bad_rows, Targets targets = Targets::required, SplitSide side = {});

  /// Reads the next good row. Returns false at the end or, with BadRows::stop, at the first bad row.
  bool next(Row& row);
  /// Returns whether a bad row or an unfit header stopped the stream: the last of counts().back().bad.
  bool stopped() const { return stopped_; }

  /// Returns the text block in which the last row begins, or its row group. It ascends along the stream within a file.
  Index block() const { return block_; }
  /// Returns the counter of the records, good or bad, which is at the last row.
  const RecordCounter& records() const { return records_; }
  /// Returns the text of a column in a row that next() has just read.
  std::string_view field(const Row& row, std::size_t column) const { return format_.field(columns_, row, column); }
  /// Returns the file of the last row.
  Index file() const { return counts_.back().file; }
  /// Returns the counts of the ranges begun so far.
  const std::vector<RangeCount>& counts() const { return counts_; }

 private:
  bool open_next_range();
  void open_row_groups(const FileRange& range);
  bool next_in_groups(Row& row);
  bool next_in_range(Row& row);
  void bad(Index line, std::string reason, bool label_missing = false);
  void bad_empty_lines();
  void end_range();

  std::span<const RawFile> files_;
  std::span<const FileRange> ranges_;
  const RowFormat& format_;
  BadRows bad_rows_;
  Targets targets_;
  RecordCounter records_;
  FileColumns columns_;                             ///< columns of the current file
  Index header_ = -1;                               ///< offset of the current file's header, bytes; -1 if it has none
  std::unique_ptr<LineReader> lines_;               ///< reader of the current range, if it is text
  std::unique_ptr<parquet::RowReader> row_groups_;  ///< reader of the last Parquet file, open from range to range
  bool in_groups_ = false;                          ///< whether it reads the current range
  std::vector<RangeCount> counts_;
  struct {
    Index lines = 0;             ///< number of them
    std::vector<Index> numbers;  ///< numbers of the first of them in the range, as many as are kept
  } empty_;                      ///< empty lines since the last row
  Index block_ = 0;
  bool stopped_ = false;
};

}  // namespace tesserec::preprocess
