// SPDX-License-Identifier: Apache-2.0
#include "head_sample.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "line_reader.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::preprocess {
namespace {

/// Reads the first records of a file, without comments and empty lines. Sets `whole` if there are no others.
std::vector<std::string> first_records(const RawFile& file, const TextRules& rules, bool& whole) {
  LineReader reader(file, {0, 1}, rules);
  std::vector<std::string> records;
  Line line;
  while (std::ssize(records) <= head_rows && reader.next_anywhere(line))
    if (!line.comment && !line.too_long && !trimmed(line.text).empty()) records.emplace_back(line.text);
  whole = std::ssize(records) <= head_rows;
  if (!whole) records.pop_back();
  return records;
}

/// Numbers of fields of the records under some rules: the most frequent number and how many records have it.
struct FieldCount {
  std::size_t fields = 0;
  Index records = 0;
  Index faults = 0;  ///< records whose quotes are wrong
};

FieldCount count_fields(const std::vector<std::string>& records, const TextRules& rules) {
  std::map<std::size_t, Index> counts;
  FieldCount best;
  Fields fields;
  for (const std::string& record : records) {
    if (!split(record, rules, fields).empty()) {
      ++best.faults;
      continue;
    }
    const Index count = ++counts[fields.texts.size()];
    if (count > best.records) best = {fields.texts.size(), count, best.faults};
  }
  return best;
}

void guess_comment(std::vector<std::string>& records, HeadSample& head) {
  const auto is_comment = [](const std::string& record) { return record.starts_with('#'); };
  if (records.empty() || !is_comment(records.front())) return;
  const auto comments = std::count_if(records.begin(), records.end(), is_comment);
  head.rules.comment = "#";
  head.comment_reason = concat(counted(comments, "line"), " of the first ", records.size(), " begin with it");
  std::erase_if(records, is_comment);
}

/// Chooses the delimiter that gives most records the same number of fields, then the one with most fields.
FieldCount guess_delimiter(const std::vector<std::string>& records, HeadSample& head) {
  FieldCount best;
  for (const char delimiter : std::string_view(",\t;|")) {
    TextRules rules = head.rules;
    rules.delimiter = delimiter;
    const FieldCount count = count_fields(records, rules);
    if (count.fields < 2) continue;
    if (count.records < best.records || (count.records == best.records && count.fields <= best.fields)) continue;
    best = count;
    head.rules.delimiter = delimiter;
  }
  if (best.fields == 0)
    fail(head.file.path,
         ": no delimiter (comma, tab, semicolon or |) divides its lines into the same number of fields; ",
         "if it has a single column, write the deck by hand");
  head.delimiter_reason =
      concat(best.records, " of the first ", records.size(), " lines have ", best.fields, " fields with it");
  return best;
}

/// Decides whether quotes have a meaning and whether they may hold line breaks.
void guess_quotes(std::vector<std::string>& records, FieldCount& count, HeadSample& head) {
  const bool any = std::any_of(records.begin(), records.end(),
                               [](const std::string& record) { return record.find('"') != std::string::npos; });
  if (!any || count.faults == 0) {
    if (any) head.quotes_reason = "all quotes of the first lines are closed";
    return;
  }
  TextRules broken = head.rules, without = head.rules;
  broken.quoted_newlines = true;
  without.quotes = false;
  bool whole = false;
  std::vector<std::string> joined = first_records(head.file, broken, whole);
  const FieldCount of_joined = count_fields(joined, broken), of_without = count_fields(records, without);
  if (of_joined.faults == 0) {
    head.rules = broken;
    head.newlines_reason = concat(count.faults, " of the first ", records.size(), " lines end inside of quotes");
    head.whole = whole;
    records = std::move(joined);
    count = of_joined;
  } else if (of_without.records > count.records) {
    head.rules = without;
    head.quotes_reason = concat(count.faults, " of the first ", records.size(), " lines have quotes that do not fit");
    count = of_without;
  }
}

bool is_number(const std::string& text) {
  double value = 0;
  return number_fault(text, value).empty();
}

/// Decides whether the first row is a header, and takes it away if so.
void guess_header(HeadSample& head) {
  std::vector<std::string> first;
  std::set<std::string> distinct;
  bool fits = head.rows > 1;
  for (const auto& column : head.values) {
    first.push_back(column.front());
    fits = fits && !is_number(first.back()) && distinct.insert(first.back()).second;
  }
  std::string numeric;
  bool again = false;
  for (std::size_t c = 0; c < head.values.size() && fits; ++c) {
    const auto& column = head.values[c];
    const auto numbers = std::count_if(column.begin() + 1, column.end(), is_number);
    const auto present =
        std::count_if(column.begin() + 1, column.end(), [](const std::string& text) { return !text.empty(); });
    if (numeric.empty() && present > 0 && numbers * 20 >= present * 19) numeric = first[c];
    again = again || std::find(column.begin() + 1, column.end(), first[c]) != column.end();
  }
  head.header = fits && (!numeric.empty() || !again);
  if (!head.header) {
    head.header_reason =
        fits ? "the first line has texts of other lines" : "the first line has numbers or repeated texts";
    for (std::size_t c = 0; c < head.values.size(); ++c) head.names.push_back(concat("column_", c + 1));
    return;
  }
  head.header_reason = numeric.empty()
                           ? "no other line has a text of the first one"
                           : concat("the first line has no numbers, but they follow below ", shown(numeric));
  head.names = std::move(first);
  for (auto& column : head.values) column.erase(column.begin());
  --head.rows;
}

void read_text_head(HeadSample& head) {
  head.rules = {',', true, false, true, ""};
  std::vector<std::string> records = first_records(head.file, {}, head.whole);
  guess_comment(records, head);
  FieldCount count = guess_delimiter(records, head);
  guess_quotes(records, count, head);
  head.values.resize(count.fields);
  Fields fields;
  for (const std::string& record : records) {
    if (!split(record, head.rules, fields).empty() || fields.texts.size() != count.fields) {
      ++head.others;
      continue;
    }
    ++head.rows;
    head.text += std::ssize(record) + 1;
    for (std::size_t c = 0; c < count.fields; ++c)
      head.values[c].emplace_back(fields.quoted ? fields.texts[c] : trimmed(fields.texts[c]));
  }
  guess_header(head);
}

void read_parquet_head(HeadSample& head) {
  const parquet::FileShape shape = parquet::shape_of(head.file.path);
  head.header = true;
  head.names = shape.columns;
  head.types = shape.types;
  head.values.resize(shape.columns.size());
  std::vector<parquet::ColumnChoice> choices;
  head.all_rows = shape.rows;
  int unrolled = -1;  // the rows are the elements of the first list of structs
  for (parquet::ColumnType& type : head.types) {
    if (unrolled < 0) unrolled = type.unrolled;
    type.readable = type.readable && (type.unrolled < 0 || type.unrolled == unrolled);
    choices.push_back({type.readable, type.list ? '|' : '\0'});
  }
  const auto reader = parquet::open_rows(head.file.path, {0, shape.row_groups}, choices, "");
  std::vector<std::string_view> fields;
  while (head.rows < head_rows && reader->next(fields)) {
    ++head.rows;
    for (std::size_t c = 0; c < fields.size(); ++c) head.values[c].emplace_back(fields[c]);
  }
  head.whole = head.rows < head_rows;
}

}  // namespace

HeadSample read_head(const std::string& path) {
  HeadSample head;
  head.file = inspected(path, "--propose");
  if (head.file.parquet)
    read_parquet_head(head);
  else
    read_text_head(head);
  if (head.rows == 0) fail(path, ": the file has no rows behind its header, so nothing can be proposed");
  return head;
}

}  // namespace tesserec::preprocess
