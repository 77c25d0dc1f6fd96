// SPDX-License-Identifier: Apache-2.0
#include "dual_function.hpp"

#include <algorithm>

namespace tesserec::planning {

DualFunction::DualFunction(const DualShares& shares, int most_columns) {
  std::vector<double> one(grid + 1);
  for (int i = 1; i <= grid; ++i)
    for (std::size_t k = 1; k <= shares.size(); ++k)
      one[i] += shares[k - 1] * double((int(k) + 1) * (i - 1) / grid) / double(k);
  least_ = {one};
  for (int c = 2; c <= most_columns; ++c) {
    const std::vector<double>& fewer = least_.back();
    std::vector<double> sum(c * grid + 1, 1e300);
    for (int i = 0; i <= c * grid; ++i)
      for (int j = std::max(0, i - (c - 1) * grid); j <= std::min(i, grid); ++j)
        sum[i] = std::min(sum[i], one[j] + fewer[i - j]);
    least_.push_back(std::move(sum));
  }
}

}  // namespace tesserec::planning
