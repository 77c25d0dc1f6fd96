// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "row_stream.hpp"
#include "survey.hpp"

namespace tesserec::preprocess {

/// Rows of some of this rank's ranges, read for the second time. Throws Error, naming the file, if a range has another
/// text than in the first reading.
class CheckedRows {
 public:
  /// Takes the survey, the format and the folder with the survey's work, which must outlive this object, and the
  /// numbers of the ranges among the rank's.
  CheckedRows(const Survey& survey, const RowFormat& format, const ScratchFolder& scratch, Range which);
  CheckedRows(const CheckedRows&) = delete;
  CheckedRows& operator=(const CheckedRows&) = delete;

  /// Reads the next row, whose keys fit into Survey::key_bytes. Returns false at the end of all ranges, whose texts are
  /// compared by then.
  bool next(Row& row);
  /// Returns the place of the last row in its file, "FILE:LINE", or "FILE:ROW" of Parquet.
  std::string place() const;
  /// Returns the number of the last row's range among the rank's, and its block of text.
  Index range() const { return which_.begin + std::ssize(stream_.counts()) - 1; }
  Index block() const { return stream_.block(); }

 private:
  void check(std::size_t ranges);
  [[noreturn]] void fail_changed(Index file) const;

  const Survey& survey_;
  const ScratchFolder& scratch_;
  Range which_;
  std::vector<FileRange> ranges_;
  RowStream stream_;
  std::size_t checked_ = 0;  ///< ranges that are compared
};

}  // namespace tesserec::preprocess
