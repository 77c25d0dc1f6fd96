// SPDX-License-Identifier: Apache-2.0
// What stands first on a page: of one run a tile a fact, of several a table.
#include "figures.hpp"
#include "rows.hpp"
#include "svg.hpp"
#include "table.hpp"

namespace tesserec::report {
namespace {

std::string small(const std::string& note) {
  return note.empty() ? "" : element("small", {{"class", note.size() > 40 ? "long" : ""}}, note);
}

std::string tiles(const std::vector<Column>& columns) {
  constexpr std::size_t short_text = 12, line = 20, lines = 60;  // letters
  std::string text;
  for (const Column& column : columns) {
    const Cell& cell = column.cells[0];
    const bool wide = cell.text.size() > line || cell.note.size() > lines;
    text += element("div",
                    {{"class", wide                            ? "tile long"
                               : cell.text.size() > short_text ? "tile middle"
                                                               : "tile"}},
                    element("span", {}, column.name) + element("b", {}, cell.text) + small(cell.note)) +
            "\n";
  }
  return element("div", {{"class", "tiles"}}, text) + "\n";
}

}  // namespace

std::string summary(const Runs& runs, const Links& links) {
  const std::vector<Row> rows = rows_of(runs);
  const std::vector<Column> columns = columns_of(rows, runs, links);
  if (rows.size() == 1 && runs.sweeps.empty()) return tiles(columns);
  std::vector<std::vector<std::string>> cells = {{runs.sweeps.empty() ? "run" : "point"}};
  for (const Column& column : columns) cells[0].push_back(column.name);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string name = escaped(rows[r].name);
    cells.push_back({swatch(rows[r].css) + (name.size() > 24 ? element("span", {{"class", "name"}}, name) : name)});
    for (const Column& column : columns) {
      const Cell& cell = column.cells[r];
      cells.back().push_back(cell.text.empty() && cell.note.empty() ? nothing : cell.text + small(cell.note));
    }
  }
  return colour_scale(runs.scale) + table(cells, "first");
}

}  // namespace tesserec::report
