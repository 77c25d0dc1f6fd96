// SPDX-License-Identifier: Apache-2.0
#include "text_ranges.hpp"

#include <algorithm>
#include <tuple>

#include "packing.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::preprocess {

std::string pack_ranges(const ReadRanges& read) {
  std::string bytes;
  pack_number(read.ranges.size(), bytes);
  for (const TextRange& range : read.ranges) {
    const RangeCount& count = range.count;
    const Index numbers[] = {range.range.file, range.range.bytes.begin, range.range.bytes.end, count.lines,
                             count.rows,       count.bad_rows,          count.unlabeled,       range.labels[0],
                             range.labels[1],  range.unread_labels,     count.gzip_members,    count.not_utf8,
                             range.weightless, count.digested};
    pack_list(std::span<const Index>(numbers), bytes);
    pack_list(std::span<const std::uint64_t>(&count.text, 1), bytes);
    pack_list(std::span<const Index>(range.values), bytes);
    pack_list(std::span<const Index>(range.key_bytes), bytes);
    pack_list(std::span<const Index>(range.further_labels), bytes);
    pack_list(std::span<const ScratchPiece>(range.moments), bytes);
    pack_list(std::span<const KeptPiece>(range.kept), bytes);
    pack_number(count.bad.size(), bytes);
    for (const BadRow& bad : count.bad) {
      pack_number(std::uint64_t(bad.line), bytes);
      pack_text(bad.reason, bytes);
    }
    pack_number(count.reasons.size(), bytes);
    for (const auto& [reason, rows] : count.reasons) {
      pack_text(reason, bytes);
      pack_number(std::uint64_t(rows), bytes);
    }
  }
  pack_number(read.runs.size(), bytes);
  for (const TokenRun& run : read.runs) pack_list(std::span<const ScratchPiece>(run.pieces), bytes);
  return bytes;
}

ReadRanges unpack_ranges(const std::string& path, std::string_view bytes) {
  Unpacker unpacker(bytes);
  ReadRanges read;
  read.ranges.resize(unpacker.number());
  for (TextRange& range : read.ranges) {
    RangeCount& count = range.count;
    const std::vector<Index> numbers = unpacker.list<Index>();
    range.range = {numbers.at(0), {numbers.at(1), numbers.at(2)}};
    count.file = numbers[0];
    count.lines = numbers.at(3);
    count.rows = numbers.at(4);
    count.bad_rows = numbers.at(5);
    count.unlabeled = numbers.at(6);
    range.labels = {numbers.at(7), numbers.at(8)};
    range.unread_labels = numbers.at(9);
    count.gzip_members = numbers.at(10);
    count.not_utf8 = numbers.at(11);
    range.weightless = numbers.at(12);
    count.digested = numbers.at(13);
    count.text = unpacker.list<std::uint64_t>().at(0);
    range.values = unpacker.list<Index>();
    range.key_bytes = unpacker.list<Index>();
    range.further_labels = unpacker.list<Index>();
    range.moments = unpacker.list<ScratchPiece>();
    range.moments_path = path;
    range.kept = unpacker.list<KeptPiece>();
    range.kept_path = kept_path(path);
    count.bad.resize(unpacker.number());
    for (BadRow& bad : count.bad) {
      bad.line = unpacker.index();
      bad.reason = unpacker.text();
    }
    for (std::uint64_t left = unpacker.number(); left > 0; --left) {
      const std::string reason(unpacker.text());
      count.reasons[reason] = unpacker.index();
    }
  }
  read.runs.resize(unpacker.number());
  for (TokenRun& run : read.runs) run = {path, unpacker.list<ScratchPiece>()};
  return read;
}

std::string kept_path(const std::string& path) {
  const std::size_t name = path.rfind('/') + 1;
  return concat(path.substr(0, name), kept_files, path.substr(name));
}

std::vector<FileRange> file_ranges(std::span<const TextRange> ranges) {
  std::vector<FileRange> of_files;
  for (const TextRange& range : ranges) of_files.push_back(range.range);
  return of_files;
}

void order_ranges(std::vector<TextRange>& ranges) {
  std::sort(ranges.begin(), ranges.end(), [](const TextRange& a, const TextRange& b) {
    return std::tie(a.range.file, a.range.bytes.begin) < std::tie(b.range.file, b.range.bytes.begin);
  });
  Index row = 0;
  std::vector<Index> values;
  for (TextRange& range : ranges) {
    values.resize(range.values.size(), 0);
    range.first_row = row;
    range.first_value = values;
    row += range.count.rows;
    for (std::size_t f = 0; f < values.size(); ++f) values[f] += range.values[f];
  }
}

Range deal_read_ranges(std::span<const RawFile> files, std::span<const TextRange> ranges, int rank, int ranks_of_job) {
  const auto weight = [&](const TextRange& r) {
    const RawFile& file = files[std::size_t(r.range.file)];
    return passing_bytes(file, r.range.bytes.begin) + text_bytes(file, r.range.bytes);
  };
  double total = 0, at = 0;
  for (const TextRange& range : ranges) total += weight(range);
  Range own{0, 0};
  for (std::size_t i = 0; i < ranges.size(); ++i) {
    const int owner = std::min(ranks_of_job - 1, int(at / total * double(ranks_of_job)));
    at += weight(ranges[i]);
    if (owner < rank) own.begin = Index(i) + 1;
    if (owner <= rank) own.end = Index(i) + 1;
  }
  return own;
}

}  // namespace tesserec::preprocess
