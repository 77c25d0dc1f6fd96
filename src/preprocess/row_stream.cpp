// SPDX-License-Identifier: Apache-2.0
#include "row_stream.hpp"

#include <algorithm>
#include <limits>
#include <utility>

#include "sequences.hpp"
#include <tesserec/core/signals.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {
namespace {

bool is_empty(const Line& line) { return !line.too_long && line.text.find_first_not_of(' ') == std::string_view::npos; }

constexpr const char* empty_line = "the line is empty";
/// Returns the remedy for a bad row.
std::string advice(std::string_view reason) {
  const std::string skip = "correct the row, or leave out all bad rows with preprocess.bad_rows = \"skip\"";
  if (reason.ends_with("is not a number"))
    return "; if the text stands for a missing value, add it to preprocess.missing; else " + skip;
  if (reason.ends_with("nor a negative label")) return "; add the text to positive or negative of the column, " + skip;
  return "; " + skip;
}

constexpr std::size_t reasons_kept = 50;

/// Returns a reason without advice, and with "..." for all between its first and its last quote.
std::string without_values(std::string reason) {
  reason.resize(std::min({reason.size(), reason.find("; "), reason.find(" (preprocess.")}));
  const std::size_t first = reason.find('"'), last = reason.rfind('"');
  return first == last ? reason : reason.substr(0, first) + "\"...\"" + reason.substr(last + 1);
}

}  // namespace

RowStream::RowStream(std::span<const RawFile> files, std::span<const FileRange> ranges, const RowFormat& format,
                     BadRows bad_rows, Targets targets, SplitSide side)
    : files_(files), ranges_(ranges), format_(format), bad_rows_(bad_rows), targets_(targets), records_(side) {
  if (side.sequences != nullptr) side.sequences->rewind();
}

bool RowStream::next(Row& row) {
  while (!stopped_) {
    if (lines_ == nullptr && !in_groups_ && !open_next_range()) return false;
    bool found = false;
    if (in_groups_) found = next_in_groups(row);
    if (lines_ != nullptr) found = next_in_range(row);
    RecordSequences* const sequences = records_.side().sequences;
    if (found && sequences != nullptr) sequences->append(records_.number(), row);
    if (found) return true;
    // A stream that stops early leaves the thread that unpacks at work; its count is of no use.
    if (lines_ != nullptr && !stopped_) {
      RangeCount& count = counts_.back();
      count.text = lines_->digest();
      count.digested = lines_->digested();
      const bool to_end = ranges_[counts_.size() - 1].bytes.end == std::numeric_limits<Index>::max();
      if (to_end && files_[count.file].compression == Compression::gzip) count.gzip_members = lines_->members();
    }
    lines_.reset();
    in_groups_ = false;
  }
  return false;
}

bool RowStream::open_next_range() {
  if (counts_.size() == ranges_.size()) return false;
  const FileRange& range = ranges_[counts_.size()];
  const RawFile& file = files_[range.file];
  const TextRules& rules = format_.layout().text;
  if (file.parquet) {
    open_row_groups(range);
    return true;
  }
  lines_ = std::make_unique<LineReader>(file, range.bytes, rules);
  RangeCount& count = counts_.emplace_back();
  count.file = range.file;
  empty_.lines = 0;
  empty_.numbers.clear();
  header_ = -1;
  Index line = 0;
  std::vector<std::string> head;
  if (format_.layout().header) {
    HeaderLine header = header_line(file, rules);
    header_ = header.begin;
    line = header.line;
    if (header_ >= 0) head.push_back(std::move(header.text));
  } else if (format_.needs_head(targets_)) {
    head = first_lines(file, text_block, rules);
  }
  // A wrong header makes all columns wrong, so no row of the file can be trusted.
  if (std::string reason = format_.find_columns(head, targets_, columns_); !reason.empty()) {
    stopped_ = true;
    count.bad.push_back({line, std::move(reason)});
  }
  return true;
}

void RowStream::open_row_groups(const FileRange& range) {
  const std::string& path = files_[range.file].path;
  const bool same_file = row_groups_ != nullptr && counts_.back().file == range.file;
  RangeCount& count = counts_.emplace_back();
  count.file = range.file;
  in_groups_ = true;
  if (same_file) {
    row_groups_->begin(range.bytes);
    return;
  }
  const parquet::FileShape shape = parquet::shape_of(path);
  std::vector<FoundColumn> found;
  for (std::size_t c = 0; c < shape.columns.size(); ++c) {
    const parquet::ColumnType& type = shape.types[c];
    const bool single = !type.list && type.unrolled < 0;
    found.push_back({shape.columns[c], type.text, single && type.texts, single && type.numbers});
  }
  TypedColumns read;
  if (std::string reason = format_.find_columns(found, targets_, columns_, read); !reason.empty()) {
    stopped_ = true;
    count.bad.push_back({0, std::move(reason)});
    return;
  }
  std::vector<parquet::ColumnChoice> choices;
  for (const TypedColumn& column : read.columns) choices.push_back({column.read, column.separator});
  row_groups_ = parquet::open_rows(path, range.bytes, std::move(choices), std::move(read.null));
}

bool RowStream::next_in_groups(Row& row) {
  RangeCount& count = counts_.back();
  row.fields.quoted = false;
  while (!stopped_ && row_groups_->next(row.fields.texts)) {
    Signals::check();
    ++count.lines;
    if (!records_.take(count.file, row_groups_->row_group())) continue;
    std::string reason = format_.parse_fields(columns_, row);
    if (reason.empty()) {
      block_ = row_groups_->row_group();
      ++count.rows;
      return true;
    }
    bad(count.lines, std::move(reason), row.label_missing);
  }
  return false;
}

bool RowStream::next_in_range(Row& row) {
  RangeCount& count = counts_.back();
  Line line;
  while (!stopped_ && lines_->next(line)) {
    Signals::check();
    count.lines += line.lines;
    if (line.comment || line.begin <= header_) continue;
    if (is_empty(line)) {
      if (std::size_t(empty_.lines++) < bad_rows_kept(targets_)) empty_.numbers.push_back(count.lines);
      continue;
    }
    bad_empty_lines();
    if (stopped_) return false;
    if (!records_.take(count.file, line.begin / text_block)) continue;
    std::string reason = line.too_long ? "the line is longer than 1 MiB" : format_.parse(line.text, columns_, row);
    if (reason.empty()) {
      block_ = line.begin / text_block;
      count.row_lines = line.lines;
      ++count.rows;
      const bool ascii = format_.layout().ascii && targets_ == Targets::required;
      count.not_utf8 += ascii || is_utf8(line.text) ? 0 : 1;
      return true;
    }
    const Index first = count.lines - line.lines + 1;
    bad(first + (line.too_long ? 0 : row.fault_line), std::move(reason), !line.too_long && row.label_missing);
  }
  if (!stopped_ && empty_.lines > 0) end_range();
  return false;
}

/// Reads on beyond a range that ends in empty lines. They are bad rows unless the file ends in them, too.
void RowStream::end_range() {
  Line line;
  while (lines_->next_anywhere(line))
    if (!is_empty(line) && !line.comment) return bad_empty_lines();
}

/// Counts the empty lines since the last row as bad rows.
void RowStream::bad_empty_lines() {
  for (std::size_t i = 0; empty_.lines > 0 && !stopped_; --empty_.lines, ++i)
    bad(i < empty_.numbers.size() ? empty_.numbers[i] : 0, empty_line);
  empty_.numbers.clear();
}

void RowStream::bad(Index line, std::string reason, bool label_missing) {
  if (!records_.side().counts_bad_rows()) return;
  RangeCount& count = counts_.back();
  ++count.bad_rows;
  if (const std::string kind = without_values(reason); count.reasons.size() < reasons_kept || count.reasons.count(kind))
    ++count.reasons[kind];
  else
    ++count.reasons["other reasons"];
  count.unlabeled += label_missing;
  if (bad_rows_ == BadRows::stop) {
    stopped_ = true;
    reason += advice(reason);
  }
  if (count.bad.size() < bad_rows_kept(targets_)) count.bad.push_back({line, std::move(reason)});
}

}  // namespace tesserec::preprocess
