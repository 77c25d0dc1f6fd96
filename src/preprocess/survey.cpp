// SPDX-License-Identifier: Apache-2.0
#include "survey.hpp"

#include <algorithm>
#include <exception>
#include <utility>

#include <tesserec/comm/agree.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/memory.hpp>

namespace tesserec::preprocess {
namespace {

/// Moments of the numbers to standardize, by text block.
class BlockMoments {
 public:
  explicit BlockMoments(const RowLayout& layout) : numbers_(layout.transforms.size()) {
    for (std::size_t k = 0; k < numbers_; ++k)
      if (layout.transforms[k] == Transform::standardise) columns_.push_back(k);
  }

  void add(const RowStream& stream, const Row& row) {
    if (columns_.empty()) return;
    if (stream.file() != file_ || stream.block() != block_) {
      file_ = stream.file();
      block_ = stream.block();
      blocks_.resize(blocks_.size() + columns_.size());
    }
    Moments* const block = blocks_.data() + blocks_.size() - columns_.size();
    for (std::size_t i = 0; i < columns_.size(); ++i)
      if (const double x = row.numbers[columns_[i]]; !std::isnan(x)) block[i].add(x);
  }

  /// Adds the blocks of all ranks in rank order. This is the order of the text, because a rank's blocks are consecutive
  /// and no two ranks share one. Collective.
  std::vector<Moments> total(const comm::Communicator& comm) const {
    std::vector<Moments> moments(numbers_);
    const std::vector<Moments> all = comm.all_gather(std::span<const Moments>(blocks_));
    for (std::size_t at = 0; at < all.size(); at += columns_.size())
      for (std::size_t i = 0; i < columns_.size(); ++i) moments[columns_[i]].add(all[at + i]);
    return moments;
  }

 private:
  std::size_t numbers_;
  std::vector<std::size_t> columns_;
  Index file_ = -1, block_ = -1;
  std::vector<Moments> blocks_;  ///< moments [blocks, columns] row-major
};

/// Returns the number of lines of each file that lower ranks read. Collective.
std::vector<Index> lines_before(const comm::Communicator& comm, const std::vector<RangeCount>& counts,
                                std::size_t files) {
  std::vector<Index> lines(files, 0);
  for (const RangeCount& range : counts) lines[range.file] += range.lines;
  const std::vector<Index> all = comm.all_gather_equal(std::span<const Index>(lines));
  std::vector<Index> before(files, 0);
  for (std::size_t i = 0; i < comm.rank() * files; ++i) before[i % files] += all[i];
  return before;
}

std::string describe(const RawFile& file, Index line, const std::string& reason) {
  return line == 0 ? file.path + ": " + reason : file.path + ":" + std::to_string(line) + ": " + reason;
}

/// Gathers bad rows in rank order and keeps the first `limit` of each file in the report. Collective.
void gather_bad_rows(const comm::Communicator& comm, const std::vector<RangeCount>& counts,
                     const std::vector<Index>& before, const std::vector<RawFile>& files, std::size_t limit,
                     DatasetReport& report) {
  std::vector<Index> file_of;
  std::string own_lines;
  for (const RangeCount& range : counts)
    for (const BadRow& bad : range.bad) {
      file_of.push_back(range.file);
      own_lines += describe(files[range.file], before[range.file] + bad.line, bad.reason) + '\0';
    }
  file_of = comm.all_gather(std::span<const Index>(file_of));
  const std::vector<char> text = comm.all_gather(std::span<const char>(own_lines));
  const char* at = text.data();
  for (const Index file : file_of) {
    const std::string line = at;
    at += line.size() + 1;
    if (report.files[file].bad.size() < limit) report.files[file].bad.push_back(line);
  }
}

/// Counts the values of a row, and each of their texts if the survey learns.
void count_values(const Row& row, const RowLayout& layout, Survey& result) {
  for (std::size_t f = 0, v = 0; f < row.ends.size() && !result.tokens.empty(); ++f)
    for (; v < row.ends[f]; ++v)
      if (row.tokens[v] && !layout.forms[f].hashed()) result.tokens[f].tokens.prefetch(*row.tokens[v]);
  for (std::size_t f = 0, v = 0; f < row.ends.size(); ++f) {
    const FeatureForm& form = layout.forms[f];
    result.values[f] += Index(row.ends[f] - v);
    if (result.tokens.empty() || form.any_ids()) {
      v = row.ends[f];
      continue;
    }
    for (; v < row.ends[f]; ++v) {
      if (!row.tokens[v]) continue;
      if (form.hashed())
        add_hash(*row.tokens[v], result.tokens[f]);
      else
        result.tokens[f].add(*row.tokens[v]);
    }
  }
}

/// Numbers this rank's values among those of all ranks. Collective.
void number_values(const comm::Communicator& comm, Survey& result) {
  const std::size_t features = result.values.size();
  const std::vector<Index> all = comm.all_gather_equal(std::span<const Index>(result.values));
  result.first_value.assign(features, 0);
  result.all_values.assign(features, 0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    result.all_values[i % features] += all[i];
    if (i < comm.rank() * features) result.first_value[i % features] += all[i];
  }
}

void gather_counts(const comm::Communicator& comm, const std::vector<RangeCount>& counts, Survey& result) {
  const std::size_t files = result.files.size();
  std::vector<Index> rows(files, 0), bad_rows(files, 0), unlabeled(files, 0);
  for (const RangeCount& range : counts) {
    rows[range.file] += range.rows;
    bad_rows[range.file] += range.bad_rows;
    unlabeled[range.file] += range.unlabeled;
    result.rows += range.rows;
    result.texts.push_back(range.text);
  }
  const std::vector<Index> rows_of = comm.all_gather(result.rows);
  for (int r = 0; r < comm.rank(); ++r) result.first_row += rows_of[r];
  comm.sum(std::span<Index>(rows));
  comm.sum(std::span<Index>(bad_rows));
  comm.sum(std::span<Index>(unlabeled));
  for (std::size_t f = 0; f < files; ++f) {
    const RawFile& file = result.files[f];
    if (rows[f] + bad_rows[f] == 0) fail(file.path, ": the file has no rows; remove it from the raw files");
    result.report.files.push_back({file.path, file.bytes, rows[f], bad_rows[f], unlabeled[f], {}, {}, {}});
    result.report.rows += rows[f];
  }
}

}  // namespace

Survey survey(const comm::Communicator& comm, std::vector<RawFile> files, const RowFormat& format, BadRows bad_rows,
              bool learn, Targets targets) {
  Survey result;
  result.targets = targets;
  result.files = std::move(files);
  result.ranges = deal_ranges(result.files, comm.rank(), comm.size(), format.layout().text.quoted_newlines);
  if (learn) result.tokens.resize(format.layout().features.size());
  result.values.assign(format.layout().features.size(), 0);

  // A rank that fails still joins the collectives. All ranks adopt the lowest rank's failure, the first in the text.
  RowStream rows(result.files, result.ranges, format, bad_rows, targets);
  BlockMoments moments(format.layout());
  std::array<Index, 2> labels{};
  Index unread_labels = 0;
  result.key_bytes.assign(format.layout().keys.size(), 1);
  std::string failure;
  int signal = 0;
  try {
    Row row;
    while (rows.next(row)) {
      if (targets == Targets::required) ++labels[row.label];
      unread_labels += targets == Targets::unread && row.has_label;
      for (std::size_t k = 0; k < row.keys.size(); ++k)
        result.key_bytes[k] = std::max(result.key_bytes[k], std::ssize(row.keys[k]));
      count_values(row, format.layout(), result);
      if (learn) moments.add(rows, row);
    }
  } catch (const Stopped& stopped) {
    failure = stopped.what();
    signal = stopped.signal();
  } catch (const std::exception& error) {
    failure = message_of(error);
  }
  const std::vector<Index> before = lines_before(comm, rows.counts(), result.files.size());
  if (failure.empty() && rows.stopped()) {
    const RangeCount& range = rows.counts().back();
    const BadRow& last = range.bad.back();
    failure = describe(result.files[range.file], before[range.file] + last.line, last.reason);
  }
  comm::agree_on(comm, failure, signal);

  gather_counts(comm, rows.counts(), result);
  gather_bad_rows(comm, rows.counts(), before, result.files, RowStream::bad_rows_kept(targets), result.report);
  number_values(comm, result);
  comm.sum(std::span<Index>(labels));
  result.report.labels = labels;
  result.report.labels_unread = comm.sum(unread_labels);
  comm.max(std::span<Index>(result.key_bytes));
  if (learn) result.moments = moments.total(comm);
  if (result.report.rows == 0)
    fail(result.files.front().path, ": all rows of all files are bad; the first bad row is ",
         result.report.files.front().bad.front());
  return result;
}

}  // namespace tesserec::preprocess
