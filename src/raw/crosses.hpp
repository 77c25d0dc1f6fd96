// SPDX-License-Identifier: Apache-2.0
/// Categories whose values are combinations of those of others.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <tesserec/raw/row_format.hpp>

namespace tesserec::raw {

/// The crosses of a table.
class Crosses {
 public:
  /// Adds a cross of features of the layout, and its definition to it. Throws Error, naming the column, for a member
  /// that is none.
  void add(const Column& column, RowLayout& layout);
  std::size_t size() const { return members_.size(); }
  /// Returns the value of cross c in a row whose features are read: those of its members, as parts of one text. Returns
  /// nothing if a member is missing.
  std::optional<std::string_view> value(std::size_t c, Row& row) const;

 private:
  std::vector<std::vector<std::size_t>> members_;  ///< features of each cross
  std::size_t first_cross_ = 0;                    ///< feature of the first cross; all behind it are crosses
};

}  // namespace tesserec::raw
