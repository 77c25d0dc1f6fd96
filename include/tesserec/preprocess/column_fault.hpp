// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include <tesserec/preprocess/settings.hpp>

namespace tesserec::preprocess {

/// Fault of a Column, of SplitSettings or of a Join: the key of its block and what is wrong with it.
struct ColumnFault {
  std::string key;
  std::string text;
};

/// Returns the first key of a column that does not fit its kind or its other keys, or nothing.
std::optional<ColumnFault> fault(const Column& column, const Settings& settings);

/// Returns the first key of [preprocess.split] that does not fit the others, or nothing.
std::optional<ColumnFault> fault(const SplitSettings& split, const Settings& settings);

/// Returns the first key of a join that does not fit the columns, or nothing.
std::optional<ColumnFault> fault(const Join& join, const Settings& settings);

/// Throws Error, naming key and column, for columns that have a fault or do not fit each other.
void check_columns(const Settings& settings);

}  // namespace tesserec::preprocess
