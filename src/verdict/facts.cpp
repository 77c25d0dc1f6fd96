// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/kernel.hpp>
#include <tesserec/verdict/facts.hpp>

namespace tesserec::verdict {
namespace {

/// Widens [low, high] of each column by the values [rows, columns] row-major.
template <class T>
TESSEREC_FUNCTION void widen_columns(const T* values, Index rows, std::size_t columns, T* low, T* high) {
  for (Index row = 0; row < rows; ++row, values += columns)
    for (std::size_t c = 0; c < columns; ++c) {
      low[c] = std::min(low[c], values[c]);
      high[c] = std::max(high[c], values[c]);
    }
}

TESSEREC_KERNEL void widen_numbers(const float* values, Index rows, std::size_t columns, float* low, float* high) {
  widen_columns(values, rows, columns, low, high);
}

TESSEREC_KERNEL void widen_ids(const std::int32_t* ids, Index rows, std::size_t columns, std::int32_t* low,
                               std::int32_t* high) {
  widen_columns(ids, rows, columns, low, high);
}

}  // namespace

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

Index SetFacts::all_weightless() const {
  Index sum = 0;
  for (const FileFacts& file : files) sum += file.weightless;
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
    for (; v < end; ++v) range->widen(double(row.ids[v]));
    ++range;
  }
}

void widen(std::span<ValueRange> ranges, const PackedRows& rows) {
  if (rows.rows == 0) return;
  // The first row begins the ranges.
  std::vector<float> low(rows.dense, rows.dense + rows.columns), high = low;
  widen_numbers(rows.dense, rows.rows, rows.columns, low.data(), high.data());
  std::vector<std::int32_t> lowest(rows.ids, rows.ids + rows.features), highest = lowest;
  widen_ids(rows.ids, rows.rows, rows.features, lowest.data(), highest.data());
  for (std::size_t k = 0; k < rows.columns; ++k)
    for (const float bound : {low[k], high[k]}) ranges[k].widen(bound);
  for (std::size_t f = 0; f < rows.features; ++f) {
    ValueRange& range = ranges[rows.columns + f];
    range.widen_bag(1);
    for (const std::int32_t bound : {lowest[f], highest[f]}) range.widen(bound);
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
