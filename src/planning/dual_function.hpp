// SPDX-License-Identifier: Apache-2.0
/// Dual feasible functions: numbers that sum to at most 1 have images that sum to at most the sum of the shares given
/// out (Fekete, Schepers, Math. Program. 2001). Five count: (ceil((k + 1) x) - 1) / k counts a number above 1 / (k + 1)
/// as 1 / k, one above 2 / (k + 1) as 2 / k and so on. Four leave small numbers out: of those below e nothing is taken,
/// those above 1 - e, beside which only such small ones fit, are taken as 1, others as they are.
#pragma once

#include <algorithm>
#include <array>
#include <cmath>

namespace tesserec::planning {

/// Shares of f_1, f_2, ... in a mixture: those that count, then those without small numbers.
using DualShares = std::array<double, 9>;

class DualFunction {
 public:
  static constexpr int counting = 5;  ///< functions

  explicit DualFunction(const DualShares& shares);

  /// f_1(x), f_2(x), ...
  static DualShares all(double x);

  /// Of a number from 0 to 1; what rounding put above a step is below it.
  double of(double x) const { return image_[step(x)]; }

 private:
  static constexpr int grid = 240;  ///< all functions are constant between multiples of 1 / 240
  static std::size_t step(double x) { return std::min<std::size_t>(grid, std::size_t(grid * x + (1 - 1e-7))); }
  using Images = std::array<double, grid + 1>;  ///< [step]
  static std::array<Images, std::tuple_size_v<DualShares>> make_images();
  static const std::array<Images, std::tuple_size_v<DualShares>> images_;
  Images image_{};
};

}  // namespace tesserec::planning
