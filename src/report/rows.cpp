// SPDX-License-Identifier: Apache-2.0
#include "rows.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include "figures.hpp"
#include "svg.hpp"

namespace tesserec::report {
namespace {

bool has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

/// Removes a text's quotes.
std::string unquoted(const std::string& value) {
  return value.size() > 2 && value.front() == '"' ? value.substr(1, value.size() - 2) : value;
}

}  // namespace

std::vector<Row> rows_of(const Runs& runs) {
  std::vector<Row> rows;
  std::set<const Run*> shown;
  for (const Sweep& sweep : runs.sweeps)
    for (const Sweep::Point& point : sweep.points) {
      Row& row = rows.emplace_back(Row{nullptr, &sweep, &point, point.name, folder_of(sweep, point), point.css});
      for (const Run& run : runs.all)
        if (run.folder == row.folder) {
          row.run = &run;
          row.name = run.name;
          row.css = run.css;
          shown.insert(&run);
        }
    }
  for (const Run& run : runs.all)
    if (!shown.contains(&run)) rows.push_back({&run, nullptr, nullptr, run.name, run.folder, run.css});
  return rows;
}

std::vector<Column> columns_of_keys(const std::vector<Row>& rows) {
  std::vector<std::map<std::string, std::string>> decks;
  for (const Row& row : rows) {
    std::map<std::string, std::string>& deck = decks.emplace_back();
    if (row.run != nullptr) deck = keys_of(row.run->start.text({"deck"}));
    for (std::size_t k = 0; row.sweep != nullptr && k < row.sweep->keys.size(); ++k)
      deck[row.sweep->keys[k].name] = value_text(row.point->values[k]);
  }
  // A row without a deck, such as that of a point that never began, tells nothing of other keys.
  std::vector<std::map<std::string, std::string>> known;
  for (std::size_t r = 0; r < rows.size(); ++r)
    if (rows[r].run != nullptr && rows[r].run->start.exists()) known.push_back(decks[r]);
  std::vector<std::string> keys;
  for (const Row& row : rows)
    for (std::size_t k = 0; row.sweep != nullptr && k < row.sweep->keys.size(); ++k)
      if (const std::string& name = row.sweep->keys[k].name; !has(keys, name)) keys.push_back(name);
  if (known.size() > 1) {
    std::vector<std::string> differing = differing_keys(known);
    std::ranges::stable_partition(differing, [&](const std::string& name) {
      return std::ranges::all_of(known, [&](const auto& deck) { return deck.contains(name); });
    });
    for (const std::string& name : differing)
      if (!has(keys, name)) keys.push_back(name);
  }
  std::vector<Column> columns;
  for (const std::string& key : keys) {
    Column& column = columns.emplace_back(Column{key, {}});
    for (auto& deck : decks) column.cells.push_back({escaped(shortened(unquoted(deck[key]), 60)), ""});
  }
  return columns;
}

// The text is a deck as the program writes it: a line for each key, each block under its heading.
std::map<std::string, std::string> keys_of(const std::string& deck) {
  std::map<std::string, std::string> keys;
  std::map<std::string, int> counts;
  std::string block;
  std::istringstream lines(deck);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("[[")) {
      block = line.substr(2, line.find(']') - 2);
      block += "[" + std::to_string(++counts[block]) + "]";
    } else if (line.starts_with("[")) {
      block = line.substr(1, line.find(']') - 1);
    } else if (const std::size_t equals = line.find(" = "); equals != std::string::npos) {
      keys[block + "." + line.substr(0, equals)] = line.substr(equals + 3);
    }
  }
  return keys;
}

std::vector<std::string> differing_keys(const std::vector<std::map<std::string, std::string>>& decks) {
  std::set<std::string> names;
  for (const auto& deck : decks)
    for (const auto& [name, value] : deck) names.insert(name);
  std::vector<std::string> differing;
  for (const std::string& name : names) {
    if (name == "run.name" || name == "run.output") continue;
    std::set<std::string> values;
    for (const auto& deck : decks) values.insert(deck.contains(name) ? deck.at(name) : "");
    if (values.size() > 1) differing.push_back(name);
  }
  return differing;
}

}  // namespace tesserec::report
