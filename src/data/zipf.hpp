// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <tesserec/core/random.hpp>

namespace tesserec::data {

class UniformStream;

/// Zipf distribution of ranks 0 .. rows-1, with probability proportional to 1 / (rank + 1)^exponent. Hot ranks are
/// drawn from an alias table (Vose, 1991), the others by rejection-inversion (Hoermann and Derflinger, 1996).
class Zipf {
 public:
  /// Maximum number of hot ranks: with the tail, the alias table has 4096 entries.
  static constexpr Index max_hot = 4095;

  /// Takes the number of ranks and an exponent of at least 0, and builds the alias table.
  Zipf(Index rows, double exponent);

  /// Returns the number of hot ranks, which are the lowest.
  Index hot() const { return hot_; }
  /// Draws a rank for each row of `rows`. A rank uses the counters (row, first), (row, first + stride), ... of
  /// `random`, mostly only the first.
  void draw(const Random& random, std::span<const Index> rows, std::span<const Index> firsts, Index stride,
            Index* ranks) const;
  /// Draws a rank from a stream of uniform numbers, mostly from one or two of them.
  Index draw(UniformStream& uniform) const;
  /// Returns the probability of a rank.
  double probability(Index rank) const;

 private:
  struct AliasEntry {
    std::uint32_t cut;    ///< probability of the entry's own outcome, in 2^-32
    std::uint32_t other;  ///< outcome otherwise
  };

  double integral(double x) const;  ///< integral of t^-exponent from 1 to x
  /// Draws a place in the tail's range of `integral` from the last two words of a quad.
  double place(const std::uint32_t* quad) const;
  /// Returns the rank at `x`, the inverse of place `y`, or -1 if it is rejected.
  Index accept(double x, double y) const;
  void build_alias(std::vector<double> weights);

  Index rows_;
  double exponent_;
  Index hot_;              ///< number of hot ranks; outcome hot_ of the alias table is the tail
  double total_ = 0;       ///< sum of all rows' weights
  double tail_begin_ = 0;  ///< range of `integral` over the tail
  double tail_end_ = 0;
  int bits_ = 0;  ///< log2 of the number of entries
  std::vector<AliasEntry> alias_;
};

}  // namespace tesserec::data
