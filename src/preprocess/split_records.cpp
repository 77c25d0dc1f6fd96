// SPDX-License-Identifier: Apache-2.0
#include "split_records.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace tesserec::preprocess {

void SplitRecords::add(Index file, Index block, Index in_block, Index record) {
  if (blocks_.empty() || blocks_.back().file != file || blocks_.back().block != block)
    blocks_.push_back({file, block, record - in_block});
  evaluates_.resize(std::size_t(record + 1));
}

Index SplitRecords::marked() const { return std::count(evaluates_.begin(), evaluates_.end(), true); }

void SplitRecords::gather(const comm::Communicator& comm) {
  std::vector<std::uint8_t> bytes((evaluates_.size() + 7) / 8, 0);
  for (std::size_t i = 0; i < evaluates_.size(); ++i) bytes[i / 8] |= std::uint8_t(evaluates_[i] << (i % 8));
  const std::vector<Index> sizes = comm.all_gather(std::ssize(evaluates_));
  const std::vector<Index> counts = comm.all_gather(std::ssize(blocks_));
  bytes = comm.all_gather(std::span<const std::uint8_t>(bytes));
  blocks_ = comm.all_gather(std::span<const FirstRecord>(blocks_));
  evaluates_.clear();
  std::size_t byte = 0, block = 0;
  for (std::size_t r = 0; r < sizes.size(); ++r) {
    const Index before = std::ssize(evaluates_);
    for (const std::size_t end = block + std::size_t(counts[r]); block < end; ++block) blocks_[block].first += before;
    for (Index i = 0; i < sizes[r]; ++i) evaluates_.push_back((bytes[byte + std::size_t(i / 8)] >> (i % 8) & 1) != 0);
    byte += std::size_t((sizes[r] + 7) / 8);
  }
}

Index SplitRecords::first(Index file, Index block) const {
  const auto found = std::lower_bound(
      blocks_.begin(), blocks_.end(), std::pair(file, block),
      [](const FirstRecord& known, const auto& place) { return std::pair(known.file, known.block) < place; });
  return found != blocks_.end() && found->file == file && found->block == block ? found->first : -1;
}

bool RecordCounter::take(Index file, Index block) {
  ++number_;
  if (file != file_ || block != block_) {
    file_ = file;
    block_ = block;
    in_block_ = -1;
    first_ = side_.records != nullptr ? side_.records->first(file, block) : -1;
  }
  ++in_block_;
  if (side_.records == nullptr) return true;
  return side_.records->evaluates(first_ < 0 ? -1 : first_ + in_block_) == side_.evaluation;
}

}  // namespace tesserec::preprocess
