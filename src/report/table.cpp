// SPDX-License-Identifier: Apache-2.0
#include "table.hpp"

#include "svg.hpp"

namespace tesserec::report {

std::string table(const std::vector<std::vector<std::string>>& rows) {
  std::vector<bool> filled(rows[0].size());
  for (std::size_t r = 1; r < rows.size(); ++r)
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      filled[c] = filled[c] || (rows[r][c] != nothing && !rows[r][c].empty());
  std::string text;
  for (std::size_t r = 0; r < rows.size(); ++r) {
    std::string cells;
    for (std::size_t c = 0; c < rows[r].size(); ++c)
      if (filled[c]) cells += element(r == 0 ? "th" : "td", {}, rows[r][c]);
    text += element("tr", {}, cells) + "\n";
  }
  return element("div", {{"class", "scroll"}}, element("table", {}, text)) + "\n";
}

std::string swatch(const std::string& css) { return element("i", {{"class", "swatch " + css}}); }

}  // namespace tesserec::report
