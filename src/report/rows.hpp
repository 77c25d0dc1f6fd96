// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <vector>

#include "figures.hpp"

namespace tesserec::report {

/// Row of the summary: a run, or a point of a sweep with or without a run.
struct Row {
  const Run* run = nullptr;
  const Sweep* sweep = nullptr;
  const Sweep::Point* point = nullptr;
  std::string name, folder, css;
};

/// Lists the points of the sweeps in the order of their ranking, then the other runs.
std::vector<Row> rows_of(const Runs& runs);

/// Cell of the summary: markup, and a note below it in small letters.
struct Cell {
  std::string text, note;
};

/// Column of the summary: its heading, as text, and a cell for each row. An empty cell shows no value.
struct Column {
  std::string name;
  std::vector<Cell> cells;
};

/// Makes the columns in order: end, first metric, keys, other metrics, truth and base rate, training metrics, steps,
/// speed, memory, times, files. Omits columns without any value.
std::vector<Column> columns_of(const std::vector<Row>& rows, const Runs& runs, const Links& links);

/// Makes a column for each key of the sweeps, and for each key in which the rows' decks differ: first those that all
/// decks have.
std::vector<Column> columns_of_keys(const std::vector<Row>& rows);

/// Columns of keys that the summary shows; decks of different models differ in hundreds.
inline constexpr std::size_t most_key_columns = 16;

/// Formats a duration as "35 s", "10 min" or "2.5 h".
std::string duration_text(double seconds);

/// Returns a deck as "block.key" -> value. Blocks that may be repeated have numbers: "table[2].rows".
std::map<std::string, std::string> keys_of(const std::string& deck);

/// Lists the keys whose values differ between the decks, without run.name and run.output.
std::vector<std::string> differing_keys(const std::vector<std::map<std::string, std::string>>& decks);

}  // namespace tesserec::report
