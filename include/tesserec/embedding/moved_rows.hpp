// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::embedding {

/// Set of the rows of a shard that training has moved, one bit a row. One thread at a time uses it.
class MovedRows {
 public:
  /// Begins without a row. `always_all`: the kernel moves every row in each step, so the set always has all rows.
  MovedRows(Range rows, bool always_all)
      : rows_(rows), always_all_(always_all), words_(always_all ? 0 : (rows.size() + word_bits - 1) / word_bits) {}

  /// Adds a row of the logical table. Reads the word first, so that a hot row's cache line stays clean.
  void add(Index row) {
    if (always_all_) return;
    const Index at = row - rows_.begin;
    std::uint64_t& word = words_[at / word_bits];
    const std::uint64_t bit = std::uint64_t{1} << at % word_bits;
    if ((word & bit) == 0) word |= bit;
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }

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
