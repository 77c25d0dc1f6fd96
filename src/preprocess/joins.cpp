// SPDX-License-Identifier: Apache-2.0
#include "joins.hpp"

#include <algorithm>
#include <utility>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {

std::vector<std::string> Joins::names() const {
  std::vector<std::string> all;
  for (const Join& join : settings_.joins) all.insert(all.end(), join.columns.begin(), join.columns.end());
  return all;
}

std::vector<JoinedTable> Joins::open(const TextRules& rules, const std::vector<Column>& columns) {
  trim_ = rules.trim;
  if (settings_.missing.empty())
    fail(
        "preprocess.missing is empty, but a row that a side table lacks has missing values; give a text for them, such "
        "as [\"\"]");
  null_ = settings_.missing.front();
  std::vector<JoinedTable> tables;
  std::size_t known = columns.size() - names().size();  // columns before those of the join
  for (std::size_t j = 0; j < settings_.joins.size(); ++j) {
    const Join& join = settings_.joins[j];
    const std::string block = concat("preprocess.join.", j);
    std::vector<std::size_t> on;
    for (const std::string& name : join.on) {
      const auto end = columns.begin() + std::ptrdiff_t(known);
      const auto found = std::find_if(columns.begin(), end, [&](const Column& column) {
        return column.name == name && column.kind != ColumnKind::skip;
      });
      if (found == end)
        fail(block, ".on names \"", name,
             "\", which is no column that is read; give it a [[preprocess.column]], with kind = \"key\" if it is not "
             "learned");
      on.push_back(std::size_t(found - columns.begin()));
    }
    std::vector<char> separators;
    for (std::size_t c = known; c < known + join.columns.size(); ++c)
      separators.push_back(columns[c].separator.empty() ? '\0' : columns[c].separator[0]);
    joins_.push_back({SideTable(join, block, rules, separators, null_), std::move(on), join.columns.size()});
    const SideTable& table = joins_.back().table;
    tables.push_back({join.file, tesserec::join(join.on), table.rows(), table.bytes(), table.example()});
    known += join.columns.size();
  }
  return tables;
}

void Joins::extend(const std::vector<Index>& places, Fields& fields, std::vector<bool>& missed,
                   std::vector<std::string>& keys) const {
  missed.assign(joins_.size(), false);
  keys.resize(joins_.size());
  const std::size_t own = fields.texts.size();  // Fields behind them are of side tables, and trimmed.
  for (std::size_t j = 0; j < joins_.size(); ++j) {
    const One& one = joins_[j];
    keys[j].clear();
    for (std::size_t k = 0; k < one.on.size(); ++k) {
      const auto place = std::size_t(places[one.on[k]]);
      const std::string_view text = fields.texts[place];
      one.table.append_key(trim_ && !fields.quoted && place < own ? trimmed(text) : text, k == 0, keys[j]);
    }
    const Index row = one.table.find(keys[j]);
    missed[j] = row < 0;
    for (std::size_t c = 0; c < one.columns; ++c)
      fields.texts.push_back(row < 0 ? std::string_view(null_) : one.table.text(row, c));
  }
}

std::string Joins::place(std::size_t column, const std::vector<std::string>& keys) const {
  std::size_t j = 0;
  for (; column >= joins_[j].columns; ++j) column -= joins_[j].columns;
  const Index row = joins_[j].table.find(keys[j]);
  return row < 0 ? "" : joins_[j].table.place(row);
}

}  // namespace tesserec::preprocess
