// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include <tesserec/embedding/row_store.hpp>
#include <tesserec/planning/settings.hpp>

namespace tesserec::train {

/// Returns the maker of the stores of a plan's tables: rows in a file for kernel disk, in memory for all others. Makes
/// the folder of the files, `folder` if the plan names none, if a table may have kernel disk.
embedding::MakeRowStore row_stores(const planning::Settings& plan, const std::string& folder);

}  // namespace tesserec::train
