// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// Fault of a Column: the key of [[preprocess.column]] and what is wrong with it.
struct ColumnFault {
  std::string key;
  std::string text;
};

/// Returns the first key of a column that does not fit its kind or its other keys, or nothing.
std::optional<ColumnFault> fault(const Column& column, const Settings& settings);

/// Throws Error, naming key and column, for columns that have a fault or do not fit each other.
void check_columns(const Settings& settings);

}  // namespace tesserec::preprocess
