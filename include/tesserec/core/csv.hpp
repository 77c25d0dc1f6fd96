// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tesserec {

/// Returns `text` as one field of a CSV line (RFC 4180), in quotes if it has a comma, a quote or a line end.
std::string csv_cell(std::string_view text);

}  // namespace tesserec
