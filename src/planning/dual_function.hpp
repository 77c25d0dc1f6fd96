// SPDX-License-Identifier: Apache-2.0
/// Dual feasible functions: numbers that sum to at most 1 have images that sum to at most the number of shares given
/// out. f_k(x) = (ceil((k + 1) x) - 1) / k counts a number above 1 / (k + 1) as 1 / k, one above 2 / (k + 1) as 2 / k
/// and so on (Fekete, Schepers, Math. Program. 2001).
#pragma once

#include <array>
#include <cmath>
#include <vector>

namespace tesserec::planning {

/// Shares of f_1, f_2, ... in a mixture.
using DualShares = std::array<double, 5>;

class DualFunction {
 public:
  /// For up to `most_columns` pieces side by side.
  DualFunction(const DualShares& shares, int most_columns);

  /// The least sum of the images of `columns` numbers whose sum is columns * `average`, none above 1.
  double of(double average, int columns) const {
    if (columns > int(least_.size())) return 0;
    const std::vector<double>& least = least_[columns - 1];
    const auto steps = std::size_t(std::max(0.0, std::ceil(grid * columns * average - 1e-7)));
    return least[std::min(steps, least.size() - 1)];
  }

 private:
  static constexpr int grid = 60;           ///< all steps of all f_k are multiples of 1 / 60
  std::vector<std::vector<double>> least_;  ///< [columns - 1][steps: the sum is above (steps - 1) / 60]
};

}  // namespace tesserec::planning
