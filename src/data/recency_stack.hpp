// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <vector>

#include "fenwick.hpp"

namespace tesserec::data {

/// Numbers 0, 1, ... in the order of their last use (an LRU stack). A number's depth is how many others were used
/// since. Each operation takes O(log n) on average.
class RecencyStack {
 public:
  RecencyStack();

  /// Returns how many numbers were used.
  Index size() const { return std::ssize(slots_); }
  /// Uses a number, at most size(), and returns its depth before, or -1 if it is new.
  Index use(Index number);
  /// Returns the number at a depth below size().
  Index at(Index depth) const;

 private:
  static constexpr std::int64_t empty = -1;

  void place(Index number);
  void compact();

  Index end_ = 0;                      ///< next slot; later slots were used later
  std::vector<std::int64_t> numbers_;  ///< number of each slot, or empty
  std::vector<Index> slots_;           ///< slot of each number
  Fenwick<std::int32_t> taken_;        ///< 1 for each slot that is not empty
};

}  // namespace tesserec::data
