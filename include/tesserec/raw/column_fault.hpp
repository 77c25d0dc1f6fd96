// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/raw/settings.hpp>

namespace tesserec::raw {

/// Fault of a block of [preprocess], such as a Column: its key and what is wrong with it.
struct ColumnFault {
  std::string key;
  std::string text;
};

/// Returns the first key of a column that does not fit its kind or its other keys, or nothing.
std::optional<ColumnFault> fault(const Column& column, const RowSettings& settings);

/// Throws Error, naming key and column, for columns that have a fault or do not fit each other.
void check_columns(const RowSettings& settings);

}  // namespace tesserec::raw
