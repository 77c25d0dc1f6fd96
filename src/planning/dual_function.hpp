// SPDX-License-Identifier: Apache-2.0
/// Dual feasible functions: numbers that sum to at most 1 have images that sum to at most the number of shares given
/// out. f_k(x) = (ceil((k + 1) x) - 1) / k counts a number above 1 / (k + 1) as 1 / k, one above 2 / (k + 1) as 2 / k
/// and so on (Fekete, Schepers, Math. Program. 2001).
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace tesserec::planning {

/// Shares of f_1, f_2, ... in a mixture.
using DualShares = std::array<double, 5>;

class DualFunction {
 public:
  explicit DualFunction(const DualShares& shares);

  /// f_1(x), f_2(x), ...
  static DualShares all(double x);

  /// Of a number from 0 to 1; what rounding put above a step is below it.
  double of(double x) const { return image_[step(x)]; }

 private:
  static constexpr int grid = 60;  ///< all steps of all f_k are multiples of 1 / 60
  static std::size_t step(double x) { return std::min<std::size_t>(grid, std::size_t(grid * x + (1 - 1e-7))); }
  static double image(int step, int k) { return double((k + 1) * (step - 1) / grid) / k; }
  std::array<double, grid + 1> image_{};
};

}  // namespace tesserec::planning
