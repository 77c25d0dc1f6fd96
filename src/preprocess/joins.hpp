// SPDX-License-Identifier: Apache-2.0
/// Columns that the side tables of [[preprocess.join]] bring to the rows of raw files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "fields.hpp"
#include "side_table.hpp"
#include <tesserec/preprocess/report.hpp>
#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// The joins of a table. They append fields of their side tables to those of a row.
class Joins {
 public:
  Joins() = default;
  /// Reads the side tables. `columns`: columns of the files, followed by those of names(settings). Throws Error, naming
  /// the key, for a key that is no column, and the Errors of SideTable.
  Joins(const Settings& settings, const TextRules& rules, const std::vector<Column>& columns);

  /// Returns the names of the columns that the joins of a deck bring, in order.
  static std::vector<std::string> names(const Settings& settings);

  /// Returns the number of columns that the joins bring.
  std::size_t columns() const { return columns_; }
  /// Appends the columns of all joins to the fields of a row. `places`: field of each column. Sets in `missed` [joins]
  /// whether the side table has no row with the key; `keys` [joins] becomes the keys' texts.
  void extend(const std::vector<Index>& places, Fields& fields, std::vector<bool>& missed,
              std::vector<std::string>& keys) const;
  /// Returns what each join has read.
  const std::vector<JoinedTable>& tables() const { return tables_; }

 private:
  struct One {
    SideTable table;
    std::vector<std::size_t> on;  ///< columns of the key
    std::size_t columns = 0;      ///< columns that it brings
  };
  std::vector<One> joins_;
  std::vector<JoinedTable> tables_;
  std::size_t columns_ = 0;
  bool trim_ = false;
  std::string null_;  ///< text of a missing value
};

}  // namespace tesserec::preprocess
