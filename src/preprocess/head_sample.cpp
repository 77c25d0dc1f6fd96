// SPDX-License-Identifier: Apache-2.0
#include "head_sample.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "line_reader.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>
#include <tesserec/preprocess/settings.hpp>
#include <tesserec/raw/field_values.hpp>

namespace tesserec::preprocess {
namespace {

/// HeadRecord of a file, and its first line.
struct HeadRecord {
  std::string text;
  Index line;
};

/// First records of a file, without comments and empty lines.
struct HeadRecords {
  std::vector<HeadRecord> all = {};
  bool whole = false;         ///< true if there are no others
  Index empty = 0;            ///< empty lines before the last record
  Index too_long = 0;         ///< lines over the longest line, left out
  Index first_too_long = 0;   ///< number of the first of them
  bool begins_empty = false;  ///< true if a line before the first record is empty
};

HeadRecords first_records(const RawFile& file, const TextRules& rules) {
  LineReader reader(file, {0, 1}, rules);
  HeadRecords records;
  Line line;
  Index empty = 0, number = 1;
  for (; std::ssize(records.all) <= head_rows && reader.next_anywhere(line); number += line.lines) {
    if (line.comment) continue;
    if (line.too_long) {
      if (records.too_long++ == 0) records.first_too_long = number;
    } else if (trimmed(line.text).empty()) {
      ++empty;
    } else {
      records.begins_empty = records.begins_empty || (records.all.empty() && empty > 0);
      records.empty += std::exchange(empty, 0);
      records.all.push_back({std::string(line.text), number});
    }
  }
  records.whole = std::ssize(records.all) <= head_rows;
  if (!records.whole) records.all.pop_back();
  return records;
}

/// Numbers of fields of the records under some rules: the most frequent number and how many records have it.
struct FieldCount {
  std::size_t fields = 0;
  Index records = 0;
  Index faults = 0;  ///< records whose quotes are wrong
};

FieldCount count_fields(const std::vector<HeadRecord>& records, const TextRules& rules) {
  std::map<std::size_t, Index> counts;
  FieldCount best;
  Fields fields;
  for (const HeadRecord& record : records) {
    if (!split(record.text, rules, fields).empty()) {
      ++best.faults;
      continue;
    }
    const Index count = ++counts[fields.texts.size()];
    if (count > best.records) best = {fields.texts.size(), count, best.faults};
  }
  return best;
}

void guess_comment(HeadRecords& records, HeadSample& head) {
  const auto is_comment = [](const HeadRecord& record) { return record.text.starts_with('#'); };
  if (records.all.empty() || !is_comment(records.all.front())) return;
  const auto comments = std::count_if(records.all.begin(), records.all.end(), is_comment);
  head.rules.comment = "#";
  head.comment_reason = concat(counted(comments, "line"), " of the first ", records.all.size(), " begin with it");
  records = first_records(head.file, head.rules);
}

/// Chooses the delimiter that gives most records the same number of fields, then the one with most fields. Returns no
/// fields if there is none. `joins`: whether quoted fields may hold line breaks, and no quote may be wrong.
FieldCount best_delimiter(const std::vector<HeadRecord>& records, bool joins, HeadSample& head) {
  FieldCount best;
  TextRules rules = head.rules;
  rules.quoted_newlines = joins;
  for (const char delimiter : std::string_view(",\t;|")) {
    rules.delimiter = delimiter;
    const FieldCount count = count_fields(joins ? first_records(head.file, rules).all : records, rules);
    if (count.fields < 2 || (joins && count.faults > 0)) continue;
    if (count.records < best.records || (count.records == best.records && count.fields <= best.fields)) continue;
    best = count;
    head.rules.delimiter = delimiter;
  }
  return best;
}

FieldCount guess_delimiter(const std::vector<HeadRecord>& records, HeadSample& head) {
  FieldCount best = best_delimiter(records, false, head);
  head.delimiter_reason =
      concat(best.records, " of the first ", records.size(), " lines have ", best.fields, " fields with it");
  // If quotes hold line breaks, few lines may be whole rows.
  if (best.records * 2 < std::ssize(records)) {
    const char before = head.rules.delimiter;
    const FieldCount joined = best_delimiter(records, true, head), alone = count_fields(records, head.rules);
    if (joined.records > best.records && alone.faults > 0) {
      head.delimiter_reason = concat(joined.records, " of the first rows have ", joined.fields, " fields with it");
      return alone;
    }
    head.rules.delimiter = before;
  }
  if (best.fields == 0)
    fail(head.file.path,
         ": no delimiter (comma, tab, semicolon or |) divides its lines into the same number of fields; ",
         "if it has a single column, write the deck by hand");
  return best;
}

/// Decides whether quotes have a meaning and whether they may hold line breaks.
void guess_quotes(HeadRecords& records, FieldCount& count, HeadSample& head) {
  const bool any = std::any_of(records.all.begin(), records.all.end(),
                               [](const HeadRecord& record) { return record.text.find('"') != std::string::npos; });
  if (!any || count.faults == 0) {
    if (any) head.quotes_reason = "all quotes of the first lines are closed";
    return;
  }
  TextRules broken = head.rules, without = head.rules;
  broken.quoted_newlines = true;
  without.quotes = false;
  HeadRecords joined = first_records(head.file, broken);
  const FieldCount of_joined = count_fields(joined.all, broken), of_without = count_fields(records.all, without);
  if (of_joined.faults == 0) {
    head.rules = broken;
    head.newlines_reason = concat(count.faults, " of the first ", records.all.size(), " lines end inside of quotes");
    records = std::move(joined);
    count = of_joined;
  } else if (of_without.records > count.records) {
    head.rules = without;
    head.quotes_reason =
        concat(count.faults, " of the first ", records.all.size(), " lines have quotes that do not fit");
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
  std::optional<std::string> twice;
  bool are_names = head.rows > 1;
  for (const auto& column : head.values) {
    first.push_back(column.front());
    are_names = are_names && !is_number(first.back());
    if (!distinct.insert(first.back()).second && !twice) twice = first.back();
  }
  std::string numeric;
  bool again = false;
  for (std::size_t c = 0; c < head.values.size() && are_names; ++c) {
    const auto& column = head.values[c];
    const auto numbers = std::count_if(column.begin() + 1, column.end(), is_number);
    const auto present =
        std::count_if(column.begin() + 1, column.end(), [](const std::string& text) { return !text.empty(); });
    if (numeric.empty() && present > 0 && numbers * 20 >= present * 19) numeric = first[c];
    again = again || std::find(column.begin() + 1, column.end(), first[c]) != column.end();
  }
  const std::vector<std::string> missing = Settings().missing;
  if (twice && !numeric.empty() && std::find(missing.begin(), missing.end(), numeric) == missing.end())
    fail(head.file.path, ": its header has the name ", shown(*twice), " twice; rename one of them in the file");
  const bool fits = are_names && !twice;
  head.header = fits && (!numeric.empty() || !again);
  if (!head.header) {
    head.header_reason = "the first line has texts of other lines";
    if (!are_names) head.header_reason = "the first line has numbers";
    if (head.rows == 1) head.header_reason = "the file has a single row";
    if (are_names && twice) head.header_reason = concat("the first line has the text ", shown(*twice), " twice");
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

/// Adds the texts of the records, by the head's rules, to its columns.
void take_texts(const HeadRecords& records, std::size_t columns, HeadSample& head) {
  head.whole = records.whole;
  head.empty = records.empty;
  head.others = records.too_long;
  head.first_other = records.first_too_long;
  head.values.resize(columns);
  Fields fields;
  for (const HeadRecord& record : records.all) {
    if (!split(record.text, head.rules, fields).empty() || fields.texts.size() != columns) {
      if (head.others++ == 0 || record.line < head.first_other) head.first_other = record.line;
      continue;
    }
    ++head.rows;
    head.text += std::ssize(record.text) + 1;
    for (std::size_t c = 0; c < columns; ++c)
      head.values[c].emplace_back(fields.quoted ? fields.texts[c] : trimmed(fields.texts[c]));
  }
}

void read_text_head(HeadSample& head) {
  HeadRecords records = first_records(head.file, {});
  guess_comment(records, head);
  FieldCount count = guess_delimiter(records.all, head);
  guess_quotes(records, count, head);
  take_texts(records, count.fields, head);
  guess_header(head);
  if (head.header && records.begins_empty)
    fail(head.file.path, ": a line before its header is empty; remove the empty line, because a header is the first ",
         "line that is no comment");
}

}  // namespace

bool reads_alike(const HeadSample& head, const TextRules& rules) {
  HeadSample other;
  other.rules = rules;
  take_texts(first_records(head.file, rules), head.values.size(), other);
  const Index header = head.header ? 1 : 0, rows = std::min(head.rows, other.rows - header);
  if ((head.whole || other.whole) && head.rows != other.rows - header) return false;
  for (std::size_t c = 0; c < head.values.size() && rows > 0; ++c) {
    const auto first = other.values[c].begin() + header;
    if (head.header && other.values[c].front() != head.names[c]) return false;
    if (!std::equal(first, first + rows, head.values[c].begin())) return false;
  }
  return rows > 0;
}

HeadSample read_head(const std::string& path) {
  HeadSample head;
  head.file = inspected(path, "--propose");
  head.rules = {',', true, false, true, ""};
  if (head.file.parquet)
    read_parquet_head(head);
  else
    read_text_head(head);
  if (head.rows == 0) fail(path, ": the file has no rows behind its header, so nothing can be proposed");
  return head;
}

}  // namespace tesserec::preprocess
