// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::embedding {

/// Set of the rows of a shard that training has moved, one bit a row.
class MovedRows {
 public:
  /// Begins without a row. `always_all`: the kernel moves every row in each step, so the set always has all rows.
  MovedRows(Range rows, bool always_all)
      : rows_(rows), always_all_(always_all), words_(always_all ? 0 : (rows.size() + word_bits - 1) / word_bits) {}

  /// Adds a row of the logical table. `shared`: other threads may add rows meanwhile.
  void add(Index row, bool shared) {
    if (always_all_) return;
    const std::uint64_t at = std::uint64_t(row - rows_.begin), bit = std::uint64_t{1} << at % word_bits;
    if (shared)
      std::atomic_ref(words_[at / word_bits]).fetch_or(bit, std::memory_order_relaxed);
    else
      words_[at / word_bits] |= bit;
  }
  /// Adds rows of the logical table in any order. No other thread may use the set meanwhile.
  void add(std::span<const Index> rows) {
    if (always_all_) return;
    constexpr std::size_t ahead = 32;  // a miss of the caches takes as long as some dozen rows
    std::uint64_t* const words = words_.data();
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (i + ahead < rows.size()) __builtin_prefetch(words + (rows[i + ahead] - rows_.begin) / word_bits, 1);
      const std::uint64_t at = std::uint64_t(rows[i] - rows_.begin);
      words[at / word_bits] |= std::uint64_t{1} << at % word_bits;
    }
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

  /// Returns whether the set has a row of the logical table.
  bool has(Index row) const {
    const std::uint64_t at = std::uint64_t(row - rows_.begin);
    return always_all_ || (words_[at / word_bits] >> at % word_bits & 1) != 0;
  }
  /// Returns the rows, ascending.
  std::vector<Index> list() const {
    std::vector<Index> rows;
    for (Index row = rows_.begin; always_all_ && row < rows_.end; ++row) rows.push_back(row);
    for (std::size_t w = 0; w < words_.size(); ++w)
      for (std::uint64_t word = words_[w]; word != 0; word &= word - 1)
        rows.push_back(rows_.begin + Index(w) * word_bits + std::countr_zero(word));
    return rows;
  }

 private:
  static constexpr Index word_bits = 64;
  Range rows_;
  bool always_all_;
  std::vector<std::uint64_t> words_;
};

}  // namespace tesserec::embedding
