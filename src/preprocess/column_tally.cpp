// SPDX-License-Identifier: Apache-2.0
#include "column_tally.hpp"

#include <cmath>
#include <type_traits>

#include <tesserec/core/error.hpp>
#include <tesserec/core/log.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/core/utf8.hpp>

namespace tesserec::preprocess {
namespace {

constexpr Index few_values = 10;  // number of values below which a large unknown share may be chance

}  // namespace

ColumnTally::ColumnTally(const RowLayout& layout, std::size_t files)
    : layout_(layout),
      columns_(layout.dense_features.size() + layout.features.size()),
      counts_(files * columns_),
      facts_(layout.dense_features.size(), layout.features.size(), files),
      examples_(files * layout.features.size()) {}

void ColumnTally::add(Index file, const Row& row, const float* dense, const Index* ids) {
  ColumnCounts* count = counts_.data() + file * columns_;
  for (std::size_t k = 0; k < row.numbers.size(); ++k, ++count) {
    const double x = row.numbers[k];
    count->missing += std::isnan(x);
    count->clipped += layout_.transforms[k] == Transform::log1p && x < 0;
    count->large += std::abs(dense[k]) >= large_number;
  }
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f, ++count) {
    const Index before = count->values;
    for (; v < row.ends[f]; ++v) {
      if (!row.tokens[v]) continue;
      ++count->values;
      if (ids[v] != 0 || layout_.forms[f].hashed()) continue;
      if (++count->unknown == 1) examples_[file * row.ends.size() + f] = shown(*row.tokens[v]);
    }
    count->missing += count->values == before;
    count->clipped += row.cut[f] > 0;
    count->cut += row.cut[f];
  }
  facts_.add(file, row.label != 0, {{dense, row.numbers.size()}, {ids, row.tokens.size()}, row.ends});
}

void ColumnTally::gather(const comm::Communicator& comm, const std::vector<RangeCount>& ranges, DatasetReport& report) {
  static_assert(std::is_trivially_copyable_v<ColumnCounts> && sizeof(ColumnCounts) == 6 * sizeof(Index));
  std::vector<Index> sums;
  for (const ColumnCounts& count : counts_)
    sums.insert(sums.end(), {count.missing, count.unknown, count.clipped, count.large, count.values, count.cut});
  comm.sum(std::span<Index>(sums));
  std::string local_examples;
  for (const std::string& example : examples_) local_examples += example + '\0';
  const std::vector<char> all = comm.all_gather(std::span<const char>(local_examples));
  std::vector<std::string> first(examples_.size());
  const char* at = all.data();
  for (std::size_t i = 0; i < comm.size() * examples_.size(); ++i) {
    const std::string example = at;
    at += example.size() + 1;
    if (std::string& kept = first[i % examples_.size()]; kept.empty()) kept = example;
  }
  const std::size_t features = layout_.features.size();
  for (std::size_t file = 0; file < report.files.size(); ++file) {
    FileReport& file_report = report.files[file];
    for (std::size_t c = file * columns_; c < (file + 1) * columns_; ++c)
      file_report.columns.push_back(
          {sums[6 * c], sums[6 * c + 1], sums[6 * c + 2], sums[6 * c + 3], sums[6 * c + 4], sums[6 * c + 5]});
    file_report.unknown.assign(first.begin() + file * features, first.begin() + (file + 1) * features);
  }
  std::vector<Index> members(report.files.size(), 0);
  for (const RangeCount& range : ranges) members[range.file] += range.gzip_members;
  comm.sum(std::span<Index>(members));
  for (std::size_t file = 0; file < report.files.size(); ++file) {
    const FileReport& from = report.files[file];
    verdict::FileFacts& facts = report.facts.files.emplace_back();
    facts = {.path = from.path, .rows = from.rows, .bad_rows = from.bad_rows, .gzip_members = members[file]};
    for (const ColumnCounts& count : from.columns) facts.missing.push_back(count.missing);
  }
  facts_.gather(comm, report.facts);
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
      const std::string ids = known[f].empty()
                                  ? "; no value of the training files has one, so lower preprocess.minimum_count"
                                  : ", but the training files have " + known[f] + "; write values the same way";
      fail(file.path, ": column ", layout.features[f], ": ", count.unknown, " of ", count.values, " values (",
           significant(100 * count.unknown_share(), 4), " %) have no id, for example ", file.unknown[f], ids,
           ", or set preprocess.max_unknown = 1.0 (now ", shortest(max_unknown), ") if they may be unknown");
    }
}

}  // namespace tesserec::preprocess
