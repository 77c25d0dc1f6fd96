// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::sweep {

/// Rows of cells as text, each column as wide as its widest cell, behind two spaces; the first row is the head.
std::string columns(const std::vector<std::vector<std::string>>& rows);

/// Rows of cells as CSV (RFC 4180).
std::string csv(const std::vector<std::vector<std::string>>& rows);

}  // namespace tesserec::sweep
