// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tesserec/core/random.hpp>

namespace tesserec::data {

/// Ranks 0 .. rows-1 with probability proportional to 1 / (rank + 1)^exponent. Hot ranks come from an alias
/// table (Vose, 1991), all others from rejection-inversion (Hoermann, Derflinger, 1996).
class Zipf {
 public:
  static constexpr Index most_hot = 4095;

  Zipf(Index rows, double exponent);

  Index hot() const { return hot_; }
  /// Draws many ranks, each from counters (row, first), (row, first + stride), ... of `random`; one mostly suffices.
  void draw(const Random& random, std::span<const Index> rows, std::span<const Index> firsts, Index stride,
            Index* ranks) const;
  /// Probability of a rank.
  double probability(Index rank) const;

 private:
  struct AliasEntry {
    std::uint32_t cut;    ///< share of the entry that is its own, in 2^-32
    std::uint32_t other;  ///< outcome of the rest
  };

  double integral(double x) const;  ///< of x^-exponent from 1
  /// Returns what four words say of the tail: a place in the range of `integral`.
  double place(const std::uint32_t* quad) const;
  /// The rank at `x`, the inverse of place `y`; -1: rejected.
  Index accept(double x, double y) const;
  void build_alias(std::vector<double> weights);

  Index rows_;
  double exponent_;
  Index hot_;              ///< outcome hot_ of the alias table is the tail
  double total_ = 0;       ///< sum of all rows' weights
  double tail_begin_ = 0;  ///< range of `integral` in which the tail lies
  double tail_end_ = 0;
  int bits_ = 0;  ///< entries are a power of two
  std::vector<AliasEntry> alias_;
};

}  // namespace tesserec::data
