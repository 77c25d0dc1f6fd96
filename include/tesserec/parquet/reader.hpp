// SPDX-License-Identifier: Apache-2.0
/// Reader of Parquet files, row by row, as texts. Without Arrow in the build every function throws Error.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::parquet {

/// Returns whether this build reads and writes Parquet.
bool is_built();

/// Type of a column.
struct ColumnType {
  std::string text;       ///< as Arrow writes it, "list<element: string>"
  bool list = false;      ///< true if a row has any number of elements
  bool readable = false;  ///< true if RowReader has texts for the values
  bool texts = false;     ///< true if the values are texts
  bool numbers = false;   ///< true if the values are numbers, truths, times of a day or durations
  bool floats = false;    ///< true if the values are floats
  int unrolled = -1;      ///< list of structs, as a place in the schema, of which the column is a field; -1 = none
};

/// Columns and row groups of a file. A list of structs has a column for each field of the struct instead of its own.
struct FileShape {
  std::vector<std::string> columns;  ///< names of the columns, in file order
  std::vector<ColumnType> types;     ///< types of the columns
  Index row_groups = 0;
  /// Rows of the file; elements of its first list of structs, with 1 for an empty list, if a field of these is no list.
  Index rows = 0;
};

/// Reads a file's footer. Throws Error, naming the file, if it is damaged.
FileShape shape_of(const std::string& path);

/// Choice of a column that is read.
struct ColumnChoice {
  bool read = false;   ///< false = the column's texts are empty
  char separator = 0;  ///< character between the elements of a list; 0 = lists are refused
};

/// Reader of the rows of some row groups, in order. If a column is a field of a list of structs, the list is unrolled:
/// each of its elements is a row, with the other columns repeated, and an empty list is no row. Numbers are written
/// with as few digits as read back to the same number, whole floats below 2^53 as integers, times as seconds since
/// 1970, true as 1. Lists become one text.
class RowReader {
 public:
  virtual ~RowReader() = default;
  /// Reads the next row as texts [columns], valid until the next row. Returns false at the end. Throws Error, naming
  /// the file, for a damaged file or an element of a list that has its separator.
  virtual bool next(std::vector<std::string_view>& fields) = 0;
  /// Returns the row group of the last row.
  virtual Index row_group() const = 0;
  /// Goes on with other row groups of the file, which stays open.
  virtual void begin(Range groups) = 0;
};

/// Opens the row groups [groups.begin, groups.end) of a file. `columns`: choice for each column of the file. `null`:
/// text of a missing value. Throws Error, naming the file, for a damaged footer, a column that is read and not
/// readable, lists without a separator, or fields of two lists of structs.
std::unique_ptr<RowReader> open_rows(const std::string& path, Range groups, std::vector<ColumnChoice> columns,
                                     std::string null);

}  // namespace tesserec::parquet
