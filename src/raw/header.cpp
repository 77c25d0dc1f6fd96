// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <span>

#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/raw/column_fault.hpp>
#include <tesserec/raw/header.hpp>

namespace tesserec::raw {
namespace {

/// Lists up to ten texts in quotes, then the number of the others.
std::string quoted_list(const std::vector<std::string>& texts) {
  constexpr std::size_t max_shown = 10;
  const std::span<const std::string> first(texts.data(), std::min(texts.size(), max_shown));
  return join(first, ", ", [](const std::string& text) { return shown(text); }) +
         (texts.size() > max_shown ? concat(" and ", texts.size() - max_shown, " more") : "");
}

/// Returns whether the names are those of the columns, in order and each once. Columns that are skipped may have
/// others.
bool are_in_order(const std::vector<Column>& columns, const std::vector<std::string>& names) {
  return std::equal(columns.begin(), columns.end(), names.begin(), names.end(),
                    [&](const Column& column, std::string_view name) {
                      return column.kind == ColumnKind::skip ||
                             (column.name == name && std::count(names.begin(), names.end(), name) == 1);
                    });
}

/// Returns whether rows of the file must have the column.
bool needed(const Column& column, const FileColumns& file) {
  if (column.optional) return false;  // All rows of a file without the column lack the label.
  const bool target = column.kind == ColumnKind::label || column.kind == ColumnKind::weight;
  return column.kind != ColumnKind::skip && !(target && file.targets == Targets::unread);
}

/// Returns whether the name matches the pattern, in which each '*' stands for any text.
bool matches(std::string_view pattern, std::string_view name) {
  std::size_t p = 0, n = 0, star = std::string_view::npos, resume = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      resume = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != std::string_view::npos) {
      p = star + 1;
      n = ++resume;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == std::string_view::npos;
}

bool is_pattern(const Column& column) { return column.name.find('*') != std::string::npos; }

/// Returns the run of digits at `at`, without leading zeros.
std::string_view digits_at(std::string_view text, std::size_t at) {
  const std::size_t end = std::min(text.find_first_not_of("0123456789", at), text.size());
  const std::size_t first = std::min(text.find_first_not_of('0', at), end);
  return text.substr(first, end - first);
}

/// Compares in natural order: runs of digits by their value, so that "C2" precedes "C10".
bool natural_less(std::string_view a, std::string_view b) {
  std::size_t i = 0, j = 0;
  while (i < a.size() && j < b.size()) {
    if (std::isdigit(static_cast<unsigned char>(a[i])) && std::isdigit(static_cast<unsigned char>(b[j]))) {
      const std::string_view m = digits_at(a, i), n = digits_at(b, j);
      if (m.size() != n.size()) return m.size() < n.size();
      if (m != n) return m < n;
      i = std::size_t(m.data() - a.data()) + m.size();
      j = std::size_t(n.data() - b.data()) + n.size();
    } else if (a[i] != b[j]) {
      return a[i] < b[j];
    } else {
      ++i;
      ++j;
    }
  }
  return (i < a.size()) != (j < b.size()) ? j < b.size() : a < b;
}

}  // namespace

TextRules text_rules(const RowSettings& settings) {
  const std::string& text = settings.delimiter;
  const std::string delimiter = text == "\\t" ? "\t" : text;
  if (delimiter.size() != 1 || delimiter == "\n" || delimiter == "\r" || delimiter == "\"")
    fail("preprocess.delimiter must be one character, like \",\" or \"\\t\", not \"", text, "\"");
  if (settings.quoted_newlines && !settings.quotes)
    fail("preprocess.quoted_newlines needs quotes; set preprocess.quotes = true");
  const std::string& comment = settings.comment;
  if (comment.starts_with(delimiter) || comment.find_first_of("\r\n") != std::string::npos)
    fail("preprocess.comment cannot be ", shown(comment), "; give a text like \"#\" that begins no row");
  return {delimiter[0], settings.quotes, settings.quoted_newlines, settings.trim, comment};
}

std::string delimiter_hint(std::string_view line, std::size_t fields, char delimiter) {
  if (fields != 1) return "";
  for (const char other : std::string_view(",;\t|"))
    if (const auto times = std::count(line.begin(), line.end(), other); times > 0 && other != delimiter)
      return concat("; the line has ", shown(std::string(1, other)), " ", counted(times, "time"),
                    ", but preprocess.delimiter is ", shown(std::string(1, delimiter)));
  return "";
}

std::string header_names(std::string_view line, const TextRules& rules, std::vector<std::string>& names) {
  Fields fields;
  std::string reason = split(line, rules, fields);
  for (const std::string_view name : fields.texts) names.emplace_back(trimmed(name));
  return reason;
}

std::string find_named(const std::vector<Column>& columns, const std::vector<std::string>& names, std::size_t joined,
                       bool skip_others, FileColumns& file) {
  file.fields = names.size();
  if (are_in_order(columns, names)) return {};
  std::vector<std::string> lacking, twice, others;
  std::vector<bool> named(names.size(), false);
  bool label_missing = false, has_label = false;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    Index found = 0;
    file.places[c] = -1;
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] != column.name) continue;
      if (++found == 1) file.places[c] = Index(i);
      named[i] = true;
    }
    if (found > 1 && column.kind != ColumnKind::skip) twice.push_back(column.name);
    const bool is_label = column.kind == ColumnKind::label;
    has_label = has_label || (is_label && found > 0);
    if (found > 0 || !needed(column, file)) continue;
    lacking.push_back(column.name);
    label_missing = label_missing || is_label;
  }
  label_missing = label_missing && !has_label;  // rows with one of several labels are none to score
  for (std::size_t i = 0; i < names.size(); ++i)
    if (!named[i] && !skip_others) others.emplace_back(names[i]);
  std::vector<std::string> faults;
  if (!lacking.empty()) faults.push_back("it lacks " + quoted_list(lacking));
  if (!twice.empty()) faults.push_back("it has more than one " + quoted_list(twice));
  if (!others.empty()) faults.push_back("no preprocess.column is called " + quoted_list(others));
  if (faults.empty()) return {};
  const std::string label = label_missing ? concat("; the label is missing: ", rows_to_score) : "";
  const char* const add =
      lacking.empty() || label_missing ? "" : "; add what lacks to the file, or remove its preprocess.column";
  const char* const advice =
      others.empty() ? "" : "; preprocess.skip_other_columns = true skips columns that are not named";
  const std::size_t fields = names.size() - joined;
  return concat("the header has ", counted(fields, "field"), fields == 1 ? " that does" : " that do",
                " not fit preprocess.column: ", join(faults, "; "), label, add, advice);
}

bool has_pattern(const std::vector<Column>& columns) { return std::any_of(columns.begin(), columns.end(), is_pattern); }

std::vector<Column> expanded(const std::vector<Column>& columns, const std::vector<std::string>& names,
                             const std::string& where) {
  std::vector<std::string_view> unmatched;
  for (const std::string_view name : names)
    if (std::none_of(columns.begin(), columns.end(), [&](const Column& column) { return column.name == name; }))
      unmatched.push_back(name);
  std::vector<Column> all;
  for (const Column& column : columns) {
    if (!is_pattern(column)) {
      all.push_back(column);
      continue;
    }
    const auto matched = std::stable_partition(unmatched.begin(), unmatched.end(),
                                               [&](std::string_view name) { return !matches(column.name, name); });
    if (matched == unmatched.end())
      fail(where, ": no further column of the header matches preprocess.column \"", column.name, "\"; the header has ",
           quoted_list({names.begin(), names.end()}));
    std::sort(matched, unmatched.end(), natural_less);
    for (auto name = matched; name != unmatched.end(); ++name) (all.emplace_back(column)).name = *name;
    unmatched.erase(matched, unmatched.end());
  }
  return all;
}

}  // namespace tesserec::raw
