// SPDX-License-Identifier: Apache-2.0
// Lines and headers as a raw format parses them.
#pragma once

#include <string>
#include <string_view>

#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/row_format.hpp>

/// Parses a line of a file that has all columns in order. Returns the reason if the line is bad.
inline std::string parsed(const tesserec::raw::RowFormat& format, std::string_view line, tesserec::raw::Row& row) {
  tesserec::raw::FileColumns columns;
  format.find_columns({}, tesserec::raw::Targets::required, columns);
  return format.parse(line, columns, row);
}

/// Returns the reason why a header does not fit, or "".
inline std::string header_fault(const tesserec::raw::RowFormat& format, const std::string& header,
                                tesserec::raw::Targets targets = tesserec::raw::Targets::required) {
  tesserec::raw::FileColumns columns;
  return format.find_columns({&header, 1}, targets, columns);
}
