// SPDX-License-Identifier: Apache-2.0
// First rows of a Parquet file.
#include <algorithm>
#include <string_view>
#include <utility>

#include "head_sample.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/signals.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {
namespace {

/// Returns a separator for each column of lists that is read: a character that no element of its first rows has. If
/// there is none, the column becomes unreadable.
std::vector<char> list_separators(const std::string& path, const parquet::FileShape& shape,
                                  std::vector<parquet::ColumnType>& types) {
  std::vector<char> separators(types.size(), '\0');
  const auto fits = [&](std::size_t c) {
    std::vector<parquet::ColumnChoice> choices(types.size());
    choices[c] = {true, separators[c]};
    try {
      const auto reader = parquet::open_rows(path, {0, shape.row_groups}, std::move(choices), "");
      std::vector<std::string_view> fields;
      for (Index row = 0; row < head_rows && reader->next(fields);) ++row;
      return true;
    } catch (const Stopped&) {
      throw;
    } catch (const Error&) {
      return false;
    }
  };
  for (std::size_t c = 0; c < types.size(); ++c) {
    if (!types[c].readable || !types[c].list) continue;
    for (const char separator : std::string_view("|;,^~ \t")) {
      separators[c] = separator;
      types[c].readable = fits(c);
      if (types[c].readable) break;
    }
    if (!types[c].readable) types[c].text += ", whose elements have all characters that could stand between them,";
  }
  return separators;
}

}  // namespace

void read_parquet_head(HeadSample& head) {
  const parquet::FileShape shape = parquet::shape_of(head.file.path);
  head.header = true;
  head.header_reason = "the columns of a Parquet file have names";
  head.names = shape.columns;
  for (std::size_t c = 0; c < head.names.size(); ++c)
    if (std::count(head.names.begin(), head.names.begin() + std::ptrdiff_t(c), head.names[c]) > 0)
      fail(head.file.path, ": it has two columns called ", shown(head.names[c]), "; rename one of them in the file");
  head.types = shape.types;
  head.values.resize(shape.columns.size());
  std::vector<parquet::ColumnChoice> choices;
  head.all_rows = shape.rows;
  int unrolled = -1;  // the rows are the elements of the first list of structs
  for (parquet::ColumnType& type : head.types) {
    if (unrolled < 0) unrolled = type.unrolled;
    type.readable = type.readable && (type.unrolled < 0 || type.unrolled == unrolled);
  }
  head.separators = list_separators(head.file.path, shape, head.types);
  for (std::size_t c = 0; c < head.types.size(); ++c) choices.push_back({head.types[c].readable, head.separators[c]});
  const auto reader = parquet::open_rows(head.file.path, {0, shape.row_groups}, choices, "");
  std::vector<std::string_view> fields;
  while (head.rows < head_rows && reader->next(fields)) {
    ++head.rows;
    for (std::size_t c = 0; c < fields.size(); ++c) head.values[c].emplace_back(fields[c]);
  }
  head.whole = head.rows < head_rows;
}

}  // namespace tesserec::preprocess
