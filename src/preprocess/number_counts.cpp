// SPDX-License-Identifier: Apache-2.0
#include "number_counts.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

namespace tesserec::preprocess {
namespace {

constexpr std::uint64_t sign = std::uint64_t{1} << 63;
constexpr Index fewest_counts = 4096;  // more than twice the most quantiles, so that a spilled column has enough values
constexpr Index counts_between = 1 << 16;     // counts from which equal keys are added up, where memory allows it
constexpr std::size_t counts_of_piece = 512;  // 8 KiB, which a search reads at once

}  // namespace

std::uint64_t number_key(double number) {
  const auto bits = std::bit_cast<std::uint64_t>(number + 0.0);  // -0 becomes 0
  return (bits & sign) != 0 ? ~bits : bits | sign;
}

double key_number(std::uint64_t key) { return std::bit_cast<double>((key & sign) != 0 ? key ^ sign : ~key); }

NumberCounts::NumberCounts(std::string scratch, Index memory)
    : path_(std::move(scratch)),
      // A list that grows copies its entries, so half of the memory is theirs.
      most_(std::max(memory / 2 / Index{sizeof(KeyCount)}, fewest_counts)),
      limit_(std::min(most_, counts_between)) {}

/// Sorts the counts in memory and adds up those of equal keys.
void NumberCounts::sort() {
  std::sort(counts_.begin(), counts_.end(), [](const KeyCount& a, const KeyCount& b) { return a.key < b.key; });
  std::size_t kept = 0;
  for (const KeyCount& count : counts_)
    if (kept > 0 && counts_[kept - 1].key == count.key)
      counts_[kept - 1].count += count.count;
    else
      counts_[kept++] = count;
  counts_.resize(kept);
}

/// Adds up the counts in memory, and writes them to the scratch file if they fill more than half of it.
void NumberCounts::compact() {
  sort();
  if (std::ssize(counts_) > most_ / 2) spill();
  limit_ = std::min(most_, std::max(counts_between, 2 * std::ssize(counts_)));
}

/// Replaces each count by the count of all smaller keys. Returns the count of all keys.
Index NumberCounts::make_cumulative(std::vector<KeyCount>& counts) {
  Index all = 0;
  for (KeyCount& count : counts) all += std::exchange(count.count, all);
  return all;
}

/// Writes the sorted counts in memory to the scratch file.
void NumberCounts::spill() {
  if (file_ == nullptr) file_ = std::make_unique<ScratchWriter>(path_);
  NumberRun& run = runs_.emplace_back();
  run.size = make_cumulative(counts_);
  for (std::size_t i = 0; i < counts_.size(); i += counts_of_piece) {
    const std::size_t piece = std::min(counts_of_piece, counts_.size() - i);
    run.first.push_back(counts_[i]);
    run.pieces.push_back(file_->append({reinterpret_cast<const char*>(counts_.data() + i), piece * sizeof(KeyCount)}));
  }
  size_ += run.size;
  counts_.clear();
}

void NumberCounts::finish() {
  sort();
  counted_ = make_cumulative(counts_);
  size_ += counted_;
  if (file_ != nullptr) file_->seal("");
}

Index NumberCounts::below(std::span<const KeyCount> counts, std::uint64_t key, Index all) {
  const auto found = std::lower_bound(counts.begin(), counts.end(), key,
                                      [](const KeyCount& count, std::uint64_t wanted) { return count.key < wanted; });
  return found == counts.end() ? all : found->count;
}

Index NumberCounts::below(NumberRun& run, std::uint64_t key) const {
  const auto after = std::lower_bound(run.first.begin(), run.first.end(), key,
                                      [](const KeyCount& first, std::uint64_t wanted) { return first.key < wanted; });
  if (after == run.first.begin()) return 0;
  const auto piece = std::size_t(after - run.first.begin()) - 1;
  if (run.read.empty() || run.read_piece != piece) {
    const std::string bytes = read_scratch(path_, {&run.pieces[piece], 1});
    run.read.resize(bytes.size() / sizeof(KeyCount));
    std::memcpy(run.read.data(), bytes.data(), bytes.size());
    run.read_piece = piece;
  }
  return below(run.read, key, after == run.first.end() ? run.size : after->count);
}

Index NumberCounts::below(std::uint64_t key) {
  Index count = below(counts_, key, counted_);
  for (NumberRun& run : runs_) count += below(run, key);
  return count;
}

std::vector<std::uint64_t> NumberCounts::keys() const {
  std::vector<std::uint64_t> keys;
  for (const KeyCount& count : counts_) keys.push_back(count.key);
  return runs_.empty() ? keys : std::vector<std::uint64_t>();
}

}  // namespace tesserec::preprocess
