// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/raw/fields.hpp>
#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Side table that was joined.
struct JoinedTable {
  std::string file;
  std::string on;  ///< columns of the key
  Index rows = 0;
  Index bytes = 0;      ///< memory on each rank
  std::string example;  ///< one of its keys, quoted
};

/// Columns that side tables bring to rows. They stand behind those of the files.
class SideColumns {
 public:
  virtual ~SideColumns() = default;
  /// Returns the names of the columns, in order.
  virtual std::vector<std::string> names() const = 0;
  /// Reads the side tables. `columns`: columns of the files, followed by those of names(). Returns what it has read.
  virtual std::vector<JoinedTable> open(const TextRules& rules, const std::vector<Column>& columns) = 0;
  /// Appends the columns to the fields of a row. `places`: field of each column. Sets in `missed` [tables] whether the
  /// side table has no row with the key; `keys` [tables] becomes the keys' texts.
  virtual void extend(const std::vector<Index>& places, Fields& fields, std::vector<bool>& missed,
                      std::vector<std::string>& keys) const = 0;
  /// Returns the file and line that a column of the last row came from, by `keys` of extend(). `column`: index in
  /// names(). Returns "" if the side table has no row with the key.
  virtual std::string place(std::size_t column, const std::vector<std::string>& keys) const = 0;
};

}  // namespace tesserec::raw
