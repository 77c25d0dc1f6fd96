// SPDX-License-Identifier: Apache-2.0
/// Sums of squares without rounding: neither the order of additions nor their distribution over ranks changes a bit.
#pragma once

#include <array>
#include <cstdint>
#include <span>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// An exact sum of values that are 0 or in [2^-298, 2^260), such as squares of floats. It is an integer in units of
/// 2^-350, in 32-bit words with headroom for carries (Neal, "Fast exact summation using small and large
/// superaccumulators", 2015).
class ExactSum {
 public:
  /// Adds `value`. At most 2^30 calls may precede a `+=`, which carries. A NaN, or a value of 2^260 or more, makes the
  /// sum infinite.
  void add(double value);
  void operator+=(const ExactSum& other);
  /// Returns the sum, to one unit in the last place. It is a function of the added values alone, not of their order.
  double value() const;

  /// Returns the words, integers that may be added element by element, such as over ranks.
  std::span<Index> words() { return words_; }

 private:
  void carry();

  std::array<Index, 21> words_{};  // the last one counts values that were not finite or too large
};

/// Adds the squares of n floats in groups of four. The floats may be split over calls at multiples of four.
void add_squares(const float* values, Index n, ExactSum& sum);

}  // namespace tesserec
