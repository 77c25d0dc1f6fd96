// SPDX-License-Identifier: Apache-2.0
#include <tesserec/verdict/facts.hpp>

namespace tesserec::verdict {

Index SetFacts::all_rows() const {
  Index sum = 0;
  for (const FileFacts& file : files) sum += file.rows;
  return sum;
}

Index SetFacts::all_positives() const {
  Index sum = 0;
  for (const FileFacts& file : files) sum += file.positives;
  return sum;
}

Index SetFacts::all_unlabelled() const {
  Index sum = 0;
  for (const FileFacts& file : files) sum += file.unlabelled;
  return sum;
}

RowFacts::RowFacts(std::size_t dense, std::size_t features, std::size_t files)
    : ranges_(dense + features), positives_(files, 0), sample_(dense, features) {}

void widen(std::span<ValueRange> ranges, const RowValues& row) {
  ValueRange* range = ranges.data();
  for (const float value : row.dense) range++->widen(value);
  std::size_t v = 0;
  for (const std::size_t end : row.bag_ends) {
    range->widen_bag(double(end - v));
    if (v == end) range->widen(-1);
    for (; v < end; ++v) range->widen(double(row.ids[v]));
    ++range;
  }
}

void RowFacts::add(Index file, bool positive, const RowValues& row) {
  positives_[std::size_t(file)] += positive;
  widen(ranges_, row);
  sample_.add(positive, row);
}

void RowFacts::add_ranges(Index file, Index positives, std::span<const ValueRange> ranges) {
  positives_[std::size_t(file)] += positives;
  for (std::size_t c = 0; c < ranges_.size(); ++c) ranges_[c].merge(ranges[c]);
}

void RowFacts::gather(const comm::Communicator& comm, SetFacts& facts) {
  comm.sum(std::span<Index>(positives_));
  for (std::size_t file = 0; file < facts.files.size(); ++file) facts.files[file].positives = positives_[file];
  const std::vector<ValueRange> all = comm.all_gather_equal(std::span<const ValueRange>(ranges_));
  facts.ranges.assign(ranges_.size(), {});
  for (std::size_t i = 0; i < all.size(); ++i) facts.ranges[i % ranges_.size()].merge(all[i]);
  sample_.gather(comm);
  facts.rows = sample_.rows();
  facts.limit = sample_.limit();
}

}  // namespace tesserec::verdict
