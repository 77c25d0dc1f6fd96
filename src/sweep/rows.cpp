// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>

#include <tesserec/core/csv.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::sweep {
std::string columns(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths(rows.front().size());
  for (const auto& row : rows)
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], row[c].size());
  std::string text;
  for (const auto& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) line += "  " + left(row[c], widths[c]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

std::string csv(const std::vector<std::vector<std::string>>& rows) {
  std::string text;
  for (const auto& row : rows) text += join(row, ",", csv_cell) + "\n";
  return text;
}

}  // namespace tesserec::sweep
