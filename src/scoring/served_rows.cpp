// SPDX-License-Identifier: Apache-2.0
#include "served_rows.hpp"

#include <algorithm>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/raw/header.hpp>
#include <tesserec/raw/transforms.hpp>
#include <tesserec/scoring/raw_inputs.hpp>

namespace tesserec::scoring {
namespace {

using raw::Column;
using raw::ColumnKind;

/// Returns the names of the data's columns that a pattern of the deck may match: those of no column, sequence or part
/// of a time, and of no indicator.
std::vector<std::string> pattern_names(const raw::RowSettings& rows, const TrainedFacts& facts) {
  std::set<std::string> made;
  for (const raw::UserSequence& sequence : rows.sequences) made.insert(sequence.name);
  for (const Column& column : rows.columns)
    if (column.kind == ColumnKind::time)
      for (const std::string& part : column.parts) made.insert(column.name + "_" + part);
  std::vector<std::string> names;
  for (std::size_t k = 0; k < facts.dense_names.size(); ++k)
    if (k >= facts.transforms.size() || facts.transforms[k] != raw::indicator_rule)
      names.push_back(facts.dense_names[k]);
  for (const embedding::DataFeature& feature : facts.features)
    if (made.count(feature.name) == 0) names.push_back(feature.name);
  return names;
}

void expand(raw::RowSettings& rows, const TrainedFacts& facts) {
  if (!raw::has_pattern(rows.columns)) return;
  std::erase_if(rows.columns, [](const Column& column) {
    const bool is_read = column.kind != ColumnKind::skip && column.kind != ColumnKind::key;
    return column.name.find('*') != std::string::npos && !is_read;
  });
  for (Column& column : rows.columns) {
    if (column.name.find('*') == std::string::npos) continue;
    if (column.kind == ColumnKind::time)
      fail("preprocess.column ", column.name, " is a pattern of times, whose names the data set does not have");
    if (column.kind == ColumnKind::label || column.kind == ColumnKind::weight)
      column.name = concat("target ", &column - rows.columns.data());
  }
  rows.columns = raw::expanded(rows.columns, pattern_names(rows, facts), facts.file + ": deck");
}

/// Removes crosses that make none of the features, and adds the features that the others are made of.
void keep_crosses(std::vector<Column>& columns, std::set<std::string>& features) {
  for (std::size_t c = columns.size(); c-- > 0;) {  // A cross of crosses stands behind them.
    const Column& column = columns[c];
    if (column.cross.empty()) continue;
    if (features.count(column.name) != 0)
      features.insert(column.cross.begin(), column.cross.end());
    else
      columns.erase(columns.begin() + std::ptrdiff_t(c));
  }
}

/// Returns whether a row must have a column, because it is a target, a number, or makes one of the features.
bool is_needed(const Column& column, const std::set<std::string>& features) {
  if (column.kind == ColumnKind::time)
    return std::ranges::any_of(column.parts,
                               [&](const std::string& part) { return features.count(column.name + "_" + part) != 0; });
  if (column.kind == ColumnKind::category) return features.count(column.name) != 0;
  return column.kind != ColumnKind::key && column.kind != ColumnKind::skip;
}

}  // namespace

raw::RowSettings served_rows(raw::RowSettings rows, const TrainedFacts& facts, std::set<std::string> features) {
  if (rows.format == raw::RawFormat::criteo) return rows;
  expand(rows, facts);
  for (const raw::UserSequence& sequence : rows.sequences) {
    if (features.count(sequence.name) == 0) continue;
    const auto item = std::ranges::find(rows.columns, sequence.item, &Column::name);
    if (item == rows.columns.end() || !item->cross.empty() || item->bucketed())
      fail("preprocess.sequence ", sequence.name, ": its items, of ", sequence.item,
           ", are no texts of a column but made, which requests cannot give; use a category as it is in the files");
    rows.columns.push_back({.name = sequence.name,
                            .kind = ColumnKind::category,
                            .separator = item_separator,
                            .ids = item->ids,
                            .max_rows = item->max_rows});
  }
  rows.sequences.clear();
  rows.header = rows.skip_other_columns = rows.quoted_newlines = false;
  keep_crosses(rows.columns, features);
  for (Column& column : rows.columns)
    if (!is_needed(column, features)) column = Column{.name = column.name};
  return rows;
}

}  // namespace tesserec::scoring
