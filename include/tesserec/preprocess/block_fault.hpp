// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/column_fault.hpp>

namespace tesserec::preprocess {

/// Returns the first key of [preprocess.split] that does not fit the others, or nothing.
std::optional<ColumnFault> fault(const SplitSettings& split, const Settings& settings);

/// Returns the first key of a join that does not fit the columns, or nothing.
std::optional<ColumnFault> fault(const Join& join, const Settings& settings);

}  // namespace tesserec::preprocess
