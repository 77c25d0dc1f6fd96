// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

namespace tesserec {

/// A field of a line of comma-separated values (RFC 4180): in quotes where it has a comma, a quote or a line end.
std::string csv_cell(std::string_view text);

}  // namespace tesserec
