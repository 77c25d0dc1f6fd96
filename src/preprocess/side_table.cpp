// SPDX-License-Identifier: Apache-2.0
#include "side_table.hpp"

#include <algorithm>
#include <utility>

#include "line_reader.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/parquet/reader.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/header.hpp>
#include <tesserec/raw/text_parts.hpp>
#include <tesserec/store/file_list.hpp>

namespace tesserec::preprocess {

/// Returns the place of a column among the names in a side table. Throws Error if there is not exactly one.
std::size_t SideTable::place_of(const std::string& name, const std::vector<std::string>& names,
                                const std::string& where) const {
  const auto times = std::count(names.begin(), names.end(), name);
  if (times != 1)
    fail(where, ": the side table has ", times == 0 ? "no" : "more than one", " column \"", name,
         "\"; its columns are ", join(names, ", ", [](const std::string& text) { return shown(text); }),
         times == 0 ? concat("; correct ", block_, ", or list the names of a file without a header in names") : "");
  return std::size_t(std::find(names.begin(), names.end(), name) - names.begin());
}

SideTable::SideTable(const Join& join, const std::string& block, TextRules rules, const std::vector<char>& separators,
                     const std::string& null)
    : join_(join), block_(block), columns_(join.columns.size()) {
  const std::string file_key = block_ + ".file";
  if (!join.delimiter.empty()) rules.delimiter = join.delimiter == "\\t" ? '\t' : join.delimiter[0];
  for (const std::string& path : store::list_files({join.file}, file_key)) {
    const RawFile file = inspected(path, file_key);
    files_.push_back(path);
    first_rows_.push_back(rows());
    key_places_.clear();
    places_.clear();
    if (file.parquet)
      read_parquet(path, rules.trim, separators, null);
    else
      read_text(file, rules);
    if (rows() == first_rows_.back()) fail(path, ": the side table has no rows; correct ", file_key);
  }
}

/// Finds the columns of the key and of the join.
void SideTable::find_columns(const std::vector<std::string>& names, const std::string& where) {
  for (const std::string& name : join_.file_on.empty() ? join_.on : join_.file_on)
    key_places_.push_back(place_of(name, names, where));
  for (const std::string& name : join_.columns) places_.push_back(place_of(name, names, where));
}

void SideTable::read_text(const RawFile& file, const TextRules& rules) {
  LineReader reader(file, {0, 1}, rules);
  std::vector<std::string> names = join_.names;
  if (!names.empty()) find_columns(names, block_ + ".names");
  Fields fields;
  Index number = 0;
  for (Line line; reader.next_anywhere(line); number += line.lines) {
    const std::string where = concat(file.path, ":", number + 1);
    const bool empty = trimmed(line.text).empty() && line.text.find(rules.delimiter) == std::string_view::npos;
    if (line.comment || empty) continue;
    if (line.too_long) fail(where, ": the line is longer than 1 MiB; correct ", block_, ".file");
    if (names.empty()) {
      if (const std::string reason = header_names(line.text, rules, names); !reason.empty()) fail(where, ": ", reason);
      find_columns(names, where);
      continue;
    }
    std::string reason = split(line.text, rules, fields);
    if (reason.empty() && fields.texts.size() != names.size())
      reason = concat(counted(fields.texts.size(), "field"), ", ", names.size(), " expected",
                      delimiter_hint(line.text, fields.texts.size(), rules.delimiter));
    if (!reason.empty()) fail(where, ": ", reason, "; correct the side table");
    add(fields.texts, number + 1, rules.trim && !fields.quoted);
  }
}

void SideTable::read_parquet(const std::string& path, bool trim, const std::vector<char>& separators,
                             const std::string& null) {
  const parquet::FileShape shape = parquet::shape_of(path);
  find_columns(shape.columns, path);
  std::vector<parquet::ColumnChoice> choices(shape.columns.size());
  for (const std::size_t place : key_places_) choices[place].read = true;
  for (std::size_t c = 0; c < columns_; ++c) choices[places_[c]] = {true, separators[c]};
  const auto reader = parquet::open_rows(path, {0, shape.row_groups}, std::move(choices), null);
  std::vector<std::string_view> fields;
  for (Index row = 1; reader->next(fields); ++row) add(fields, row, trim);
}

void SideTable::append_key(std::string_view text, bool first, std::string& key) const {
  if (key_places_.size() == 1) {
    key = text;
    return;
  }
  if (!first) key += raw::part_separator;
  raw::append_part(text, key);
}

/// Adds a row.
void SideTable::add(const std::vector<std::string_view>& fields, Index line, bool trim) {
  const auto field = [&](std::size_t place) { return trim ? trimmed(fields[place]) : fields[place]; };
  key_.clear();
  for (std::size_t k = 0; k < key_places_.size(); ++k) append_key(field(key_places_[k]), k == 0, key_);
  lines_.push_back(line);
  if (const Index before = keys_.find(key_); before >= 0)
    fail(place(rows()), ": the key ", shown(key_), " of ", join(join_.on), " is already that of ", place(before),
         "; a side table has one row for each key, so remove one of the two");
  keys_.insert(key_);
  for (const std::size_t place : places_) {
    bytes_ += field(place);
    ends_.push_back(bytes_.size());
  }
  if (bytes() > join_.memory)
    fail(place(rows() - 1), ": the side table needs more memory than ", block_, ".memory (",
         bytes_text(double(join_.memory)), " on each rank); raise it, or leave out rows or columns");
}

std::string SideTable::place(Index row) const {
  const auto file = std::upper_bound(first_rows_.begin(), first_rows_.end(), row) - first_rows_.begin() - 1;
  return concat(files_[std::size_t(file)], ":", lines_[std::size_t(row)]);
}

std::string SideTable::example() const { return shown(keys_.token(0)); }

Index SideTable::bytes() const {
  return Index(bytes_.size()) + std::ssize(keys_.bytes()) + Index(ends_.size() * sizeof(std::size_t)) +
         rows() * (Index{sizeof lines_[0]} + TokenMap::token_memory);
}

}  // namespace tesserec::preprocess
