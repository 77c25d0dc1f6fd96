// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::report {

/// What a cell without a value shows.
inline const std::string nothing = "–";

/// Rows of cells, the first a head; cells are markup. A column in which no row has anything is left out.
std::string table(const std::vector<std::vector<std::string>>& rows);

/// A square of a run's colour.
std::string swatch(const std::string& css);

}  // namespace tesserec::report
