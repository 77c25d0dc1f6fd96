// SPDX-License-Identifier: Apache-2.0
// Lines and headers as a raw format parses them.
#pragma once

#include <string>
#include <string_view>

#include "src/data/row_format.hpp"

/// Parses a line of a file that has all columns in order. Returns the reason if the line is bad.
inline std::string parsed(const tesserec::data::RowFormat& format, std::string_view line, tesserec::data::Row& row) {
  tesserec::data::FileColumns columns;
  format.find_columns({}, tesserec::data::Targets::required, columns);
  return format.parse(line, columns, row);
}

/// Returns the reason why a header does not fit, or "".
inline std::string header_fault(const tesserec::data::RowFormat& format, const std::string& header,
                                tesserec::data::Targets targets = tesserec::data::Targets::required) {
  tesserec::data::FileColumns columns;
  return format.find_columns({&header, 1}, targets, columns);
}
