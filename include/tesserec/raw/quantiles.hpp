// SPDX-License-Identifier: Apache-2.0
/// Borders of quantiles, as data sets and models store them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <tesserec/raw/row_format.hpp>

namespace tesserec::raw {

/// Name of the attribute of datasets and checkpoints with RowLayout::borders; absent if no column has quantiles.
inline constexpr const char* borders_attribute = "borders";

/// Borders of a column's buckets.
struct StoredBorders {
  Index quantiles = 0;          ///< buckets asked for; equal borders are one, so there may be fewer
  std::vector<double> borders;  ///< ascending, not empty
};

/// Returns the text of the borders that `quantiles` buckets have, ascending: "4: 18 30.5 65". The digits restore the
/// same doubles.
std::string borders_text(Index quantiles, const std::vector<double>& borders);

/// Parses the text of borders_text(). Returns nothing for any other text.
std::optional<StoredBorders> parse_borders(const std::string& text);

/// Sets the borders of all columns with quantiles to the stored ones: `borders` [F] of `features`, or none. Throws
/// Error, naming the column, if there are none of it or they are of another number of quantiles.
void set_stored_borders(RowFormat& format, const std::vector<std::string>& features,
                        const std::vector<std::string>& borders);

}  // namespace tesserec::raw
