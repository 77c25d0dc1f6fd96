// SPDX-License-Identifier: Apache-2.0
#include "range_reports.hpp"

#include <algorithm>

#include "packing.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::preprocess {
namespace {

std::string describe(const RawFile& file, Index line, const std::string& reason) {
  return line == 0 ? file.path + ": " + reason : file.path + ":" + std::to_string(line) + ": " + reason;
}

/// Place of a range in the text, and its lines.
struct RangeLines {
  Index file, begin, lines;
};

std::vector<RangeLines> all_lines(const comm::Communicator& comm, std::span<const ReadRanges> done,
                                  std::span<const FileRange> ranges, std::span<const RangeCount> counts) {
  std::vector<RangeLines> own;
  for (std::size_t i = 0; i < counts.size(); ++i)
    own.push_back({ranges[i].file, ranges[i].bytes.begin, counts[i].lines});
  std::vector<RangeLines> all = comm.all_gather(std::span<const RangeLines>(own));
  for (const ReadRanges& read : done)
    for (const TextRange& range : read.ranges)
      all.push_back({range.range.file, range.range.bytes.begin, range.count.lines});
  return all;
}

}  // namespace

std::string stop_reason(const comm::Communicator& comm, const RowStream& rows, std::span<const RawFile> files,
                        std::span<const FileRange> own, std::span<const ReadRanges> done) {
  const std::vector<RangeLines> all = all_lines(comm, done, own, rows.counts());
  if (!rows.stopped()) return {};
  const FileRange& last = own[rows.counts().size() - 1];
  const BadRow& bad = rows.counts().back().bad.back();
  Index lines = bad.line;
  for (const RangeLines& range : all)
    if (range.file == last.file && range.begin < last.bytes.begin) lines += range.lines;
  return describe(files[std::size_t(last.file)], lines, bad.reason);
}

std::vector<TextRange> gathered_ranges(const comm::Communicator& comm, std::span<const FileRange> own,
                                       std::span<const RangeCount> counts) {
  ReadRanges read;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    TextRange& range = read.ranges.emplace_back();
    range.range = own[i];
    range.count = counts[i];
  }
  std::string packed;
  pack_text(pack_ranges(read), packed);
  const std::vector<char> bytes = comm.all_gather(std::span<const char>(packed));
  std::vector<TextRange> all;
  for (Unpacker unpacker({bytes.data(), bytes.size()}); !unpacker.done();) {
    const std::vector<TextRange> of_rank = unpack_ranges("", unpacker.text()).ranges;
    all.insert(all.end(), of_rank.begin(), of_rank.end());
  }
  order_ranges(all);
  return all;
}

std::vector<FileReport> file_reports(std::span<const RawFile> files, std::span<const TextRange> ranges,
                                     std::size_t bad_rows_kept) {
  std::vector<FileReport> reports;
  for (const RawFile& file : files) reports.push_back({file.path, file.bytes, 0, 0, 0, {}, {}, {}, {}});
  std::vector<Index> lines(files.size(), 0);
  for (const TextRange& range : ranges) {
    FileReport& file = reports[std::size_t(range.range.file)];
    Index& before = lines[std::size_t(range.range.file)];
    file.rows += range.count.rows;
    file.bad_rows += range.count.bad_rows;
    file.unlabeled += range.count.unlabeled;
    for (const auto& [reason, count] : range.count.reasons) file.reasons[reason] += count;
    for (const BadRow& bad : range.count.bad)
      if (file.bad.size() < bad_rows_kept)
        file.bad.push_back(describe(files[std::size_t(range.range.file)], before + bad.line, bad.reason));
    before += range.count.lines;
  }
  return reports;
}

void fail_without_rows(const std::string& path) { fail(path, ": the file has no rows; remove it from the raw files"); }

void require_good_rows(std::span<const FileReport> files) {
  if (std::any_of(files.begin(), files.end(), [](const FileReport& file) { return file.rows > 0; })) return;
  for (const FileReport& file : files)
    if (!file.bad.empty()) fail(file.path, ": all rows of all files are bad; the first bad row is ", file.bad.front());
  fail(files.front().path, ": the files have no rows; give files with rows");
}

}  // namespace tesserec::preprocess
