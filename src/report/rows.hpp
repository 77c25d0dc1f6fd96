// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "figures.hpp"

namespace tesserec::report {

/// A line of the first table: a run, or a point of a sweep with or without one.
struct Row {
  const Run* run = nullptr;
  const Sweep* sweep = nullptr;
  const Sweep::Point* point = nullptr;
  std::string name, folder, css;
};

/// The points of the sweeps as those rank them, then the other runs.
std::vector<Row> rows_of(const Runs& runs);

/// A cell of the first table: markup, and a line below it in small letters.
struct Cell {
  std::string text, note;
};

/// A column: its heading, as text, and a cell a row; empty cells have nothing.
struct Column {
  std::string name;
  std::vector<Cell> cells;
};

/// Columns of how the rows ended; their metrics, the best and the last; base rate and truth; keys that differ; steps,
/// speed, memory, times, files. Columns in which no row has anything are left out.
std::vector<Column> columns_of(const std::vector<Row>& rows, const Runs& runs, const Links& links);

/// The columns of the keys in which the decks of the rows differ.
std::vector<Column> columns_of_keys(const std::vector<Row>& rows);

/// "35 s", "2.5 h".
std::string duration_text(double seconds);

/// "block.key" -> value as the deck has it; blocks that may stand several times have numbers: "table[2].rows".
std::map<std::string, std::string> keys_of(const std::string& deck);

/// Keys whose values are not the same in all decks, without run.name and run.output.
std::vector<std::string> differing_keys(const std::vector<std::map<std::string, std::string>>& decks);

}  // namespace tesserec::report
