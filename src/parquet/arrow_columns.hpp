// SPDX-License-Identifier: Apache-2.0
/// Values of a Parquet column as texts.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <parquet/column_reader.h>

#include "arrow_file.hpp"

namespace tesserec::parquet {

/// Texts of one column of a row group, row by row. Texts of the file are views of its unpacked pages.
class TextColumn {
 public:
  static constexpr Index most_rows = 128;  ///< most rows of a call of take(), so that rows stay in the second cache

  virtual ~TextColumn() = default;
  /// Returns the number of rows that take() can take now, 0 at the end of the row group. Texts of the rows before may
  /// become invalid.
  Index available() {
    while (next_ == rows_ && fill()) continue;
    return rows_ - next_;
  }
  /// Returns how many rows of the file begin with each available element of an unrolled list, those without elements
  /// before it included.
  const Index* begun() const { return begun_.data() + next_; }
  /// Returns how many rows of the file were read behind the last element.
  Index unseen_rows() const { return unseen_rows_; }
  /// Takes rows, at most most_rows and those available. Writes the text of row r to to[r * stride].
  virtual void take(Index rows, std::string_view* to, std::size_t stride) = 0;

 protected:
  /// Replaces the rows by the next ones, perhaps by none. Returns false if there are no others.
  virtual bool fill() = 0;

  Index rows_ = 0, next_ = 0;  ///< rows that were read; those that were taken
  std::vector<Index> begun_;   ///< begun() of each row; empty unless a list is unrolled
  Index unseen_rows_ = 0;      ///< rows of the file since the last element
};

/// Use of a column of a row group: its place, its number of levels, the character between the elements of a list, and
/// the text of a missing value. All must outlive the column.
struct ColumnUse {
  const std::string& path;
  const ColumnPlace& place;
  Index group;
  Index levels;
  char separator;
  const std::string& null;
};

std::unique_ptr<TextColumn> make_column(std::shared_ptr<::parquet::ColumnReader> reader, const ColumnUse& use);

/// Throws Error that names a column of a row group whose values are not as many as the file says.
[[noreturn]] void refuse_count(const std::string& path, Index group, const ColumnPlace& place);

}  // namespace tesserec::parquet
