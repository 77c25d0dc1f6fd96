// SPDX-License-Identifier: Apache-2.0
/// Columns that the side tables of [[preprocess.join]] bring to the rows of raw files.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "side_table.hpp"
#include <tesserec/preprocess/report.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/fields.hpp>
#include <tesserec/raw/side_columns.hpp>

namespace tesserec::preprocess {

/// The joins of a table. They append fields of their side tables to those of a row.
class Joins final : public SideColumns {
 public:
  explicit Joins(const Settings& settings) : settings_(settings) {}

  std::vector<std::string> names() const override;
  /// Throws Error, naming the key, for a key that is no column, and the Errors of SideTable.
  std::vector<JoinedTable> open(const TextRules& rules, const std::vector<Column>& columns) override;
  void extend(const std::vector<Index>& places, Fields& fields, std::vector<bool>& missed,
              std::vector<std::string>& keys) const override;
  std::string place(std::size_t column, const std::vector<std::string>& keys) const override;

 private:
  struct One {
    SideTable table;
    std::vector<std::size_t> on;  ///< columns of the key
    std::size_t columns = 0;      ///< columns that it brings
  };
  const Settings settings_;
  std::vector<One> joins_;
  bool trim_ = false;
  std::string null_;  ///< text of a missing value
};

}  // namespace tesserec::preprocess
