// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "line_reader.hpp"
#include "raw_files.hpp"
#include "row_format.hpp"

namespace tesserec::data {

struct BadRow {
  Index line = 0;  ///< from 1, counted from the start of the range
  std::string reason;
};

/// Yield of a range of a file.
struct RangeCount {
  Index file = 0;
  Index lines = 0;
  Index rows = 0;
  Index bad_rows = 0;
  Index unlabelled = 0;     ///< of the bad rows: those without a label
  std::uint64_t text = 0;   ///< LineReader::digest() at its end
  std::vector<BadRow> bad;  ///< the first ones, bad_rows_kept() of them
};

/// Good rows of some ranges in turn. Empty lines are no rows at the end of a file, and bad rows elsewhere.
class RowStream {
 public:
  /// Returns how many bad rows are kept: many of rows to score, where each loss matters; else a few examples.
  static std::size_t bad_rows_kept(Targets targets) { return targets == Targets::unread ? 100 : 5; }

  RowStream(std::span<const RawFile> files, std::span<const FileRange> ranges, const RowFormat& format,
            BadRows bad_rows, Targets targets = Targets::required);

  /// The next good row; false at the end, or, with BadRows::stop, at the first bad one.
  bool next(Row& row);
  /// At a bad row, or at a header that does not fit: the last of counts().back().bad.
  bool stopped() const { return stopped_; }

  /// The text block in which the last row began. Grows along the stream within one file.
  Index block() const { return block_; }
  /// Returns the file of the last row.
  Index file() const { return counts_.back().file; }
  /// Returns the counts of the ranges begun so far.
  const std::vector<RangeCount>& counts() const { return counts_; }

 private:
  bool open_next_range();
  bool next_in_range(Row& row);
  void bad(Index line, std::string reason, bool label_lacks = false);
  void end_range();

  std::span<const RawFile> files_;
  std::span<const FileRange> ranges_;
  const RowFormat& format_;
  BadRows bad_rows_;
  Targets targets_;
  FileColumns columns_;  ///< of the file at hand
  std::unique_ptr<LineReader> lines_;
  std::vector<RangeCount> counts_;
  Index empty_lines_ = 0;  ///< just before the line at hand
  Index block_ = 0;
  bool stopped_ = false;
};

}  // namespace tesserec::data
