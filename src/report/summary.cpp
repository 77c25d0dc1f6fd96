// SPDX-License-Identifier: Apache-2.0
// Head of a page: tiles for one run, a table for several.
#include "figures.hpp"
#include "rows.hpp"
#include "svg.hpp"

namespace tesserec::report {
namespace {

std::string small(const std::string& note) {
  if (note.empty()) return "";
  return element("small", {{"class", note.size() > 40 ? "long" : ""}}, note);
}

/// Returns the class of a tile, by the length of its text.
const char* tile_class(const Cell& cell) {
  constexpr std::size_t short_text = 12, line = 20, lines = 60;  // letters
  if (cell.text.size() > line || cell.note.size() > lines) return "tile long";
  return cell.text.size() > short_text ? "tile middle" : "tile";
}

std::string tiles(const std::vector<Column>& columns) {
  std::string text;
  for (const Column& column : columns) {
    const Cell& cell = column.cells[0];
    text += element("div", {{"class", tile_class(cell)}},
                    element("span", {}, escaped(column.name)) + element("b", {}, cell.text) + small(cell.note)) +
            "\n";
  }
  return element("div", {{"class", "tiles"}}, text) + "\n";
}

}  // namespace

std::string summary(const Runs& runs, const Links& links) {
  const std::vector<Row> rows = rows_of(runs);
  const std::vector<Column> columns = columns_of(rows, runs, links);
  if (rows.size() == 1 && runs.sweeps.empty()) return tiles(columns);
  std::string head = element("th", {}, runs.sweeps.empty() ? "run" : "point"), text;
  for (const Column& column : columns) head += element("th", {}, escaped(column.name));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const std::string name = escaped(rows[r].name);
    std::string cells =
        element("td", {}, swatch(rows[r].css) + (name.size() > 24 ? element("span", {{"class", "name"}}, name) : name));
    for (const Column& column : columns) {
      const Cell& cell = column.cells[r];
      const bool empty = cell.text.empty() && cell.note.empty();
      cells += element("td", {{"data-name", column.name}}, empty ? nothing : cell.text + small(cell.note));
    }
    text += element("tr", {}, cells) + "\n";
  }
  const std::string all = element("tr", {}, head) + "\n" + text;
  return color_scale(runs.scale) + element("div", {{"class", "scroll"}}, element("table", {{"class", "first"}}, all)) +
         "\n";
}

}  // namespace tesserec::report
