// SPDX-License-Identifier: Apache-2.0
#include "column_tally.hpp"

#include <algorithm>
#include <cmath>
#include <type_traits>
#include <utility>

#include "packing.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {
namespace {

constexpr Index few_values = 10;  // number of values below which a large unknown share may be chance

/// Returns the texts of all ranks in rank order. Collective.
std::vector<std::string> gathered(const comm::Communicator& comm, const std::vector<std::string>& own) {
  std::string joined;
  for (const std::string& text : own) joined += text + '\0';
  const std::vector<char> all = comm.all_gather(std::span<const char>(joined));
  std::vector<std::string> texts;
  for (std::size_t at = 0; at < all.size(); at += texts.back().size() + 1) texts.emplace_back(all.data() + at);
  return texts;
}

/// Returns the first text of each place that a rank has, in rank order. Collective.
std::vector<std::string> first_texts(const comm::Communicator& comm, const std::vector<std::string>& own) {
  const std::vector<std::string> all = gathered(comm, own);
  std::vector<std::string> first(own.size());
  for (std::size_t i = 0; i < all.size(); ++i)
    if (std::string& kept = first[i % own.size()]; kept.empty()) kept = all[i];
  return first;
}

}  // namespace

ColumnTally::ColumnTally(const RowLayout& layout, std::vector<Index> files, std::size_t file_count)
    : layout_(layout),
      data_columns_(layout.dense_features.size() + layout.features.size()),
      columns_(data_columns_ + layout.joins.size()),
      tops_(std::size_t(top_values) * layout.features.size()),
      files_(std::move(files)),
      counts_(files_.size() * columns_),
      examples_(files_.size() * (layout.features.size() + layout.joins.size())),
      top_counts_(files_.size() * tops_, 0),
      top_texts_(tops_),
      positives_(files_.size(), 0),
      values_(files_.size() * data_columns_),
      facts_(layout.dense_features.size(), layout.features.size(), file_count) {}

void ColumnTally::add(Index range, const Row& row) {
  ColumnCounts* count = counts_.data() + range * columns_;
  for (std::size_t k = 0; k < row.numbers.size(); ++k, ++count) {
    const double x = row.numbers[k];
    count->missing += std::isnan(x);
    count->clipped += layout_.transforms[k] == Transform::log1p && x < 0;
  }
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f, ++count) {
    const Index before = count->values;
    for (; v < row.ends[f]; ++v) count->values += row.tokens[v].has_value();
    count->missing += count->values == before;
    count->clipped += row.cut[f] > 0;
    count->cut += row.cut[f];
  }
  for (std::size_t j = 0; j < layout_.joins.size(); ++j, ++count) {
    ++count->values;
    if (row.unjoined[j] && ++count->unknown == 1) example(range, layout_.features.size() + j) = shown(row.join_keys[j]);
  }
}

void ColumnTally::add(Index range, const KeptChunk& rows) {
  ColumnCounts* count = counts_.data() + range * columns_;
  for (std::size_t k = 0; k < rows.numbers.size(); ++k, ++count) {
    const std::vector<double>& numbers = rows.numbers[k];
    count->missing += std::count_if(numbers.begin(), numbers.end(), [](double x) { return std::isnan(x); });
    if (layout_.transforms[k] == Transform::log1p)
      count->clipped += std::count_if(numbers.begin(), numbers.end(), [](double x) { return x < 0; });
  }
  for (std::size_t f = 0; f < rows.values.size(); ++f, ++count) {
    const Index missing = std::count(rows.values[f].begin(), rows.values[f].end(), 0U);
    count->missing += missing;
    count->values += rows.rows - missing;
  }
}

std::size_t judged_label(const RowLayout& layout) {
  std::size_t place = 0;
  for (const Column& column : layout.columns) {
    if (column.kind != ColumnKind::label) continue;
    if (!column.optional) return place;
    ++place;
  }
  return 0;
}

namespace {

/// Returns the column of the label by which leaks are judged, or "" for formats that give it no name of its own.
std::string judged_column(const RowLayout& layout) {
  if (!layout.tasks.empty()) return layout.tasks[judged_label(layout)];
  const auto column = std::ranges::find(layout.columns, ColumnKind::label, &Column::kind);
  return column == layout.columns.end() || column->name == "label" ? "" : column->name;
}

/// Returns what to do about values of a feature that the training files lack. A part of a time has one spelling.
std::string known_values_remedy(const RowLayout& layout, const std::string& feature) {
  for (const Column& column : layout.columns)
    for (const std::string& part : column.kind == ColumnKind::time ? column.parts : std::vector<std::string>())
      if (feature == concat(column.name, "_", part))
        return concat("train on times with all values of ", feature, ", take ", shown(part), " out of the parts of ",
                      column.name);
  return "write values the same way";
}

}  // namespace

void ColumnTally::add_facts(Index range, std::uint8_t label, const verdict::RowValues& row) {
  ++sampled_;
  positives_[std::size_t(range)] += label;
  add_large(range, row.dense);
  verdict::widen(std::span(values_).subspan(std::size_t(range) * data_columns_, data_columns_), row);
  facts_.sample(label == 1, row);
}

void ColumnTally::add_facts(Index range, const verdict::PackedRows& rows) {
  sampled_ += rows.rows;
  for (Index row = 0; row < rows.rows; ++row) positives_[std::size_t(range)] += rows.positive[row];
  add_large(range, {rows.dense, std::size_t(rows.rows) * rows.columns});
  verdict::widen(std::span(values_).subspan(std::size_t(range) * data_columns_, data_columns_), rows);
  facts_.sample(rows);
}

/// Counts the large ones of numbers [rows, K] row-major, of which there are few.
void ColumnTally::add_large(Index range, std::span<const float> dense) {
  const std::size_t columns = layout_.dense_features.size();
  for (std::size_t i = 0; i < dense.size(); ++i)
    if (std::abs(dense[i]) >= large_number) ++counts_[std::size_t(range) * columns_ + i % columns].large;
}

std::string ColumnTally::pack(Index range) const {
  std::string bytes;
  pack_list(std::span<const ColumnCounts>(counts_).subspan(std::size_t(range) * columns_, columns_), bytes);
  const std::size_t examples = layout_.features.size() + layout_.joins.size();
  for (std::size_t f = 0; f < examples; ++f) pack_text(examples_[std::size_t(range) * examples + f], bytes);
  pack_list(std::span<const Index>(top_counts_).subspan(std::size_t(range) * tops_, tops_), bytes);
  for (const std::string& text : top_texts_) pack_text(text, bytes);
  pack_number(std::uint64_t(positives_[std::size_t(range)]), bytes);
  pack_list(std::span<const verdict::ValueRange>(values_).subspan(std::size_t(range) * data_columns_, data_columns_),
            bytes);
  return bytes;
}

void ColumnTally::add_packed(Index range, std::string_view bytes) {
  Unpacker unpacker(bytes);
  const std::vector<ColumnCounts> counts = unpacker.list<ColumnCounts>();
  for (std::size_t c = 0; c < columns_; ++c) counts_[std::size_t(range) * columns_ + c] += counts.at(c);
  const std::size_t examples = layout_.features.size() + layout_.joins.size();
  for (std::size_t f = 0; f < examples; ++f) example(range, f) = unpacker.text();
  const std::vector<Index> tops = unpacker.list<Index>();
  for (std::size_t top = 0; top < tops_; ++top) {
    top_counts_[std::size_t(range) * tops_ + top] += tops.at(top);
    const std::string text(unpacker.text());
    if (top_texts_[top].empty()) top_texts_[top] = text;
  }
  positives_[std::size_t(range)] = unpacker.index();
  const std::vector<verdict::ValueRange> values = unpacker.list<verdict::ValueRange>();
  for (std::size_t c = 0; c < data_columns_; ++c) values_[std::size_t(range) * data_columns_ + c] = values.at(c);
}

void ColumnTally::gather(const comm::Communicator& comm, DatasetReport& report) {
  static_assert(std::is_trivially_copyable_v<ColumnCounts> && sizeof(ColumnCounts) == 6 * sizeof(Index));
  const std::size_t features = layout_.features.size() + layout_.joins.size(), files = report.files.size();
  std::vector<ColumnCounts> counts(files * columns_);
  std::vector<std::string> examples(files * features);
  for (std::size_t range = 0; range < files_.size(); ++range) {
    const auto file = std::size_t(files_[range]);
    for (std::size_t c = 0; c < columns_; ++c) counts[file * columns_ + c] += counts_[range * columns_ + c];
    for (std::size_t f = 0; f < features; ++f)
      if (std::string& kept = examples[file * features + f]; kept.empty()) kept = examples_[range * features + f];
  }
  std::vector<Index> sums;
  for (const ColumnCounts& count : counts)
    sums.insert(sums.end(), {count.missing, count.unknown, count.clipped, count.large, count.values, count.cut});
  comm.sum(std::span<Index>(sums));
  const std::vector<std::string> first = first_texts(comm, examples), top_texts = first_texts(comm, top_texts_);
  std::vector<Index> top_counts(tops_, 0);
  for (std::size_t i = 0; i < top_counts_.size(); ++i) top_counts[i % tops_] += top_counts_[i];
  comm.sum(std::span<Index>(top_counts));
  report.top.resize(layout_.features.size());
  for (std::size_t top = 0; top < tops_; ++top)
    if (top_counts[top] > 0) report.top[top / std::size_t(top_values)].push_back({top_texts[top], top_counts[top]});
  for (std::size_t file = 0; file < files; ++file) {
    FileReport& file_report = report.files[file];
    for (std::size_t c = file * columns_; c < (file + 1) * columns_; ++c)
      file_report.columns.push_back(
          {sums[6 * c], sums[6 * c + 1], sums[6 * c + 2], sums[6 * c + 3], sums[6 * c + 4], sums[6 * c + 5]});
    file_report.unknown.assign(first.begin() + file * features, first.begin() + (file + 1) * features);
  }
  for (const FileReport& from : report.files) {
    verdict::FileFacts& facts = report.facts.files.emplace_back();
    facts = {.path = from.path, .rows = from.rows, .bad_rows = from.bad_rows};
    for (std::size_t c = 0; c < data_columns_; ++c) facts.missing.push_back(from.columns[c].missing);
  }
  for (std::size_t range = 0; range < files_.size(); ++range)
    facts_.add_ranges(files_[range], positives_[range],
                      std::span(values_).subspan(range * data_columns_, data_columns_));
  report.facts.unsampled = report.rows - comm.sum(sampled_);
  facts_.gather(comm, report.facts);
  report.facts.label = judged_column(layout_);
}

void require_known(const DatasetReport& evaluate, const RowLayout& layout, const std::vector<std::string>& known,
                   double max_unknown) {
  for (const FileReport& file : evaluate.files)
    for (std::size_t f = 0; f < layout.features.size(); ++f) {
      const ColumnCounts& count = file.columns[layout.dense_features.size() + f];
      if (count.unknown_share() <= max_unknown) continue;
      if (const Index values = count.values; values < few_values) {
        log_info(concat("warning: ", file.path, ": column ", layout.features[f], ": ", count.unknown, " of ",
                        counted(values, "value"), " have no id, for example ", file.unknown[f],
                        "; check how the file writes them"));
        continue;
      }
      std::string ids = "; no value of the training files has one, so lower preprocess.minimum_count";
      if (!known[f].empty())
        ids = concat(", but the training files have ", known[f], "; ", known_values_remedy(layout, layout.features[f]));
      fail(file.path, ": column ", layout.features[f], ": ", count.unknown, " of ", count.values, " values (",
           significant(100 * count.unknown_share(), 4), " %) have no id, for example ", file.unknown[f], ids,
           ", or set preprocess.max_unknown = 1.0 (now ", shortest(max_unknown), ") if they may be unknown");
    }
}

void require_joined(const DatasetReport& report, const RowLayout& layout, double max_unknown) {
  const std::size_t columns = layout.dense_features.size() + layout.features.size();
  for (const FileReport& file : report.files)
    for (std::size_t j = 0; j < layout.joins.size(); ++j) {
      const ColumnCounts& count = file.columns[columns + j];
      const JoinedTable& table = layout.joins[j];
      if (count.unknown_share() <= max_unknown || count.values < few_values) continue;
      fail(file.path, ": ", count.unknown, " of ", counted(count.values, "row"), " have no row in ", table.file,
           ", for example ", table.on, " ", file.unknown[layout.features.size() + j], ", but the side table has ",
           table.example, "; write keys the same way, or set preprocess.max_unknown = 1.0 (now ", shortest(max_unknown),
           ") if they may be unknown");
    }
}

}  // namespace tesserec::preprocess
