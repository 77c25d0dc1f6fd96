// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/core/text.hpp>
#include <tesserec/preprocess/block_fault.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::preprocess {

std::optional<ColumnFault> fault(const SplitSettings& split, const Settings& settings) {
  const SplitSettings defaults;
  const bool hash = split.by == SplitBy::hash, time = split.by == SplitBy::time, day = split.by == SplitBy::day;
  const bool last = split.by == SplitBy::last;
  const struct {
    const char* key;
    bool set;
    bool fits;
    const char* rules;
  } keys[] = {{"column", !split.column.empty(), hash || last, "\"hash\" or \"last\""},
              {"time", !split.time.empty(), time || day || last, "\"time\", \"day\" or \"last\""},
              {"fraction", split.fraction != defaults.fraction, hash || time, "\"hash\" or \"time\""},
              {"days", split.days != defaults.days, day, "\"day\""}};
  for (const auto& key : keys)
    if (key.set && !key.fits) return ColumnFault{key.key, concat("applies only to by = ", key.rules, "; remove it")};
  if (last && split.column.empty()) return ColumnFault{"column", "is missing; name the column of the users"};
  if ((time || day) && split.time.empty()) return ColumnFault{"time", "is missing; name a column of kind = \"time\""};
  if (split.by != SplitBy::none && !settings.train.empty() && !settings.evaluate.empty())
    return ColumnFault{"by",
                       "makes evaluation rows of preprocess.train, but preprocess.evaluate names files, too; keep one"};
  return std::nullopt;
}

std::optional<ColumnFault> fault(const Join& join, const Settings& settings) {
  if (join.file.empty()) return ColumnFault{"file", "is missing; name the side table"};
  if (join.on.empty()) return ColumnFault{"on", "is missing; name the columns of the key"};
  if (join.columns.empty()) return ColumnFault{"columns", "is missing; name the columns that the side table brings"};
  if (!join.file_on.empty() && join.file_on.size() != join.on.size())
    return ColumnFault{"file_on",
                       concat("has ", counted(join.file_on.size(), "name"), ", but on has ", join.on.size())};
  if (!join.delimiter.empty() && join.delimiter != "\\t" && join.delimiter.size() != 1)
    return ColumnFault{"delimiter", "must be one character, like \",\" or \"\\t\""};
  for (const Column& column : settings.columns)
    if ((column.kind == ColumnKind::label || column.kind == ColumnKind::weight) &&
        std::count(join.on.begin(), join.on.end(), column.name) != 0)
      return ColumnFault{"on", concat("has \"", column.name, "\", but rows to score have no ", kind_name(column.kind),
                                      "; name columns that all rows have")};
  for (const std::string& name : join.columns) {
    const auto found = std::find_if(settings.columns.begin(), settings.columns.end(),
                                    [&](const Column& column) { return column.name == name; });
    if (found == settings.columns.end())
      return ColumnFault{"columns",
                         concat("has \"", name, "\", but there is no [[preprocess.column]] of this name; add it")};
    if (found->kind == ColumnKind::label || found->kind == ColumnKind::weight || !found->cross.empty())
      return ColumnFault{"columns",
                         concat("has \"", name, "\", but a label, a weight and a cross are of no side table")};
    Index times = 0;
    for (const Join& other : settings.joins) times += std::count(other.columns.begin(), other.columns.end(), name);
    if (times > 1)
      return ColumnFault{"columns", concat("has \"", name, "\", which another join brings, too; keep one")};
  }
  return std::nullopt;
}

}  // namespace tesserec::preprocess
