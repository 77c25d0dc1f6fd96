// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include <tesserec/raw/settings.hpp>
#include <tesserec/scoring/model_folder.hpp>

namespace tesserec::scoring {

/// Returns the rows of a deck as requests give them: patterns in names are replaced by the columns of the data,
/// sequences and the columns of side tables are columns, and columns that make none of the `features` are skipped.
raw::RowSettings served_rows(raw::RowSettings rows, const TrainedFacts& facts, std::set<std::string> features);

}  // namespace tesserec::scoring
