// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bit>
#include <cstddef>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::data {

/// Counts with sums of all before one of them, in a binary indexed tree (Fenwick, 1994). Each operation takes O(log n).
template <class Count>
class Fenwick {
 public:
  explicit Fenwick(Index size) : tree_(std::size_t(size) + 1, Count{0}) {}

  Index size() const { return std::ssize(tree_) - 1; }
  void add(Index i, Count count) {
    for (++i; i < std::ssize(tree_); i += i & -i) tree_[std::size_t(i)] += count;
  }
  /// Returns the sum of the counts [0, end).
  Index sum(Index end) const {
    Index total = 0;
    for (; end > 0; end -= end & -end) total += tree_[std::size_t(end)];
    return total;
  }
  /// Returns the count in which the number `below` lies if the counts are laid one behind the other. `below` must be
  /// less than sum(size()). Subtracts the counts before from it.
  Index find(Index& below) const {
    Index at = 0;
    for (Index step = Index(std::bit_floor(std::size_t(size()))); step > 0; step /= 2)
      if (at + step < std::ssize(tree_) && tree_[std::size_t(at + step)] <= below) {
        at += step;
        below -= tree_[std::size_t(at)];
      }
    return at;
  }

 private:
  std::vector<Count> tree_;  // tree_[i] is the sum of the lowbit(i) counts that end with count i - 1
};

}  // namespace tesserec::data
