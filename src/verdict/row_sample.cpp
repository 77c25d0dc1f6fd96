// SPDX-License-Identifier: Apache-2.0
#define XXH_INLINE_ALL
#include <algorithm>
#include <iterator>
#include <numeric>

#include <xxhash.h>

#include <tesserec/verdict/row_sample.hpp>

namespace tesserec::verdict {
namespace {

/// Number of values that a sample holds: 16 MiB of numbers, or 32 MiB of ids.
constexpr std::size_t sampled_values = std::size_t{1} << 22;

template <class T>
std::uint64_t digest_of(std::span<const T> values, std::uint64_t seed) {
  return XXH3_64bits_withSeed(values.data(), values.size_bytes(), seed);
}

std::uint64_t digest_of(const RowValues& row) {
  const std::uint64_t values = digest_of(row.ids, digest_of(row.dense, 0));
  return row.ids.size() == row.bag_ends.size() ? values : digest_of(row.bag_ends, values);
}

/// Appends the elements of all lists.
template <class T, class List>
std::vector<T> concatenated(const std::vector<SampledRow>& rows, const List& list) {
  std::vector<T> all;
  for (const SampledRow& row : rows) {
    const auto& values = list(row);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

/// Returns the next `count` elements of a list and advances `at` behind them.
template <class T>
std::vector<T> taken(const std::vector<T>& all, std::size_t& at, std::size_t count) {
  const auto begin = all.begin() + std::ptrdiff_t(at);
  at += count;
  return std::vector<T>(begin, begin + std::ptrdiff_t(count));
}

}  // namespace

RowSample::RowSample(std::size_t dense, std::size_t features)
    : dense_(dense),
      features_(features),
      most_(std::clamp(sampled_values / (dense + features + 1), std::size_t{1} << 10, std::size_t{1} << 14)) {}

void RowSample::add(bool positive, const RowValues& row) {
  const std::uint64_t digest = digest_of(row);
  if (digest > limit_) return;
  const auto known = found_.find(digest);
  SampledRow& found = known != found_.end() ? known->second : begin_row(digest);
  if (found.count() == 0) {
    found.dense.assign(row.dense.begin(), row.dense.end());
    // The first ids of a long bag stand for it, so that rows of long bags do not fill the memory.
    const std::size_t most_ids = std::max(sampled_values / most_ / std::max(features_, std::size_t{1}), std::size_t{1});
    found.ids.reserve(std::min(row.ids.size(), most_ids * features_));
    found.bag_ends.reserve(row.bag_ends.size());
    std::size_t begin = 0;
    for (const std::size_t end : row.bag_ends) {
      const auto ids = row.ids.subspan(begin, std::min(end - begin, most_ids));
      found.ids.insert(found.ids.end(), ids.begin(), ids.end());
      found.bag_ends.push_back(std::ssize(found.ids));
      begin = end;
    }
  }
  ++found.labels[positive ? 1 : 0];
  if (found_.size() >= 2 * most_) prune();
}

void RowSample::add(const PackedRows& rows) {
  std::vector<std::size_t> ends(rows.features);
  std::iota(ends.begin(), ends.end(), std::size_t{1});
  std::vector<Index> ids(rows.features);
  for (std::size_t row = 0; row < std::size_t(rows.rows); ++row) {
    std::copy_n(rows.ids + row * rows.features, rows.features, ids.begin());
    add(rows.positive[row] != 0, {{rows.dense + row * rows.columns, rows.columns}, ids, ends});
  }
}

/// Begins a row without values.
SampledRow& RowSample::begin_row(std::uint64_t digest) {
  if (spare_.empty()) {
    if (found_.empty()) found_.reserve(2 * most_);
    SampledRow& row = found_[digest];
    row.digest = digest;
    return row;
  }
  Found::node_type node = std::move(spare_.back());
  spare_.pop_back();
  node.key() = digest;
  SampledRow& row = node.mapped();
  row.digest = digest;
  row.labels = {};
  row.ids.clear();
  row.bag_ends.clear();
  return found_.insert(std::move(node)).position->second;
}

/// Drops all but the most_ smallest digests.
void RowSample::prune() {
  if (found_.size() <= most_) return;
  std::vector<std::uint64_t> digests;
  for (const auto& entry : found_) digests.push_back(entry.first);
  std::nth_element(digests.begin(), digests.begin() + std::ptrdiff_t(most_ - 1), digests.end());
  limit_ = digests[most_ - 1];
  for (auto entry = found_.begin(); entry != found_.end();) {
    const auto next = std::next(entry);
    if (entry->first > limit_) spare_.push_back(found_.extract(entry));
    entry = next;
  }
}

void RowSample::gather(const comm::Communicator& comm) {
  prune();
  std::vector<std::uint64_t> digests;
  for (const auto& entry : found_) digests.push_back(entry.first);
  digests = comm.all_gather(std::span<const std::uint64_t>(digests));
  std::sort(digests.begin(), digests.end());
  digests.erase(std::unique(digests.begin(), digests.end()), digests.end());
  if (digests.size() > most_) limit_ = digests[most_ - 1];
  for (const std::uint64_t limit : comm.all_gather(limit_)) limit_ = std::min(limit_, limit);

  std::vector<SampledRow> own;
  for (auto& entry : found_)
    if (entry.first <= limit_) own.push_back(std::move(entry.second));
  found_.clear();
  spare_.clear();
  const auto gathered = [&]<class T>(const std::vector<T>& values) {
    return comm.all_gather(std::span<const T>(values));
  };
  const auto sizes = gathered(concatenated<std::uint64_t>(own, [](const SampledRow& row) {
    return std::array<std::uint64_t, 4>{row.digest, std::uint64_t(row.labels[0]), std::uint64_t(row.labels[1]),
                                        row.ids.size()};
  }));
  const auto dense = gathered(concatenated<float>(own, [](const SampledRow& row) { return row.dense; }));
  const auto ids = gathered(concatenated<Index>(own, [](const SampledRow& row) { return row.ids; }));
  const auto ends = gathered(concatenated<Index>(own, [](const SampledRow& row) { return row.bag_ends; }));
  std::size_t dense_at = 0, ids_at = 0, ends_at = 0;
  for (std::size_t at = 0; at < sizes.size(); at += 4) {
    SampledRow row{.digest = sizes[at],
                   .labels = {Index(sizes[at + 1]), Index(sizes[at + 2])},
                   .dense = {},
                   .ids = {},
                   .bag_ends = {}};
    row.dense = taken(dense, dense_at, dense_);
    row.ids = taken(ids, ids_at, sizes[at + 3]);
    row.bag_ends = taken(ends, ends_at, features_);
    rows_.push_back(std::move(row));
  }
  std::sort(rows_.begin(), rows_.end(), [](const SampledRow& a, const SampledRow& b) { return a.digest < b.digest; });
  std::size_t kept = 0;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    if (kept > 0 && rows_[kept - 1].digest == rows_[r].digest) {
      for (std::size_t label = 0; label < 2; ++label) rows_[kept - 1].labels[label] += rows_[r].labels[label];
    } else {
      if (kept != r) rows_[kept] = std::move(rows_[r]);
      ++kept;
    }
  }
  rows_.resize(kept);
}

}  // namespace tesserec::verdict
