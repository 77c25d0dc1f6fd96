// SPDX-License-Identifier: Apache-2.0
/// Sums of squares without rounding: neither the order of additions nor who makes them changes a bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// A sum of numbers, each 0 or in [2^-298, 2^260), as squares of floats are: an integer in units of 2^-350, in 32-bit
/// words with room for carries (Neal, "Fast exact summation using small and large superaccumulators", 2015).
class ExactSum {
 public:
  /// At most 2^30 times before a += . What is not finite, or above the range, makes the sum infinite.
  void add(double value);
  void operator+=(const ExactSum& other);
  /// Within one unit in the last place, a function of the numbers alone.
  double value() const;

  /// Integers that may be added number by number, as over ranks.
  std::span<Index> words() { return words_; }

 private:
  void carry();

  std::array<Index, 21> words_{};  // the last counts what was infinite
};

/// Adds the squares of n floats, four at a time from the first on; a run may be cut at multiples of four.
void add_squares(const float* values, Index n, ExactSum& sum);

}  // namespace tesserec
