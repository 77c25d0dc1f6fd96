// SPDX-License-Identifier: Apache-2.0
/// Which keys mattered.
#pragma once

#include <string>
#include <vector>

#include <tesserec/sweep/points.hpp>

namespace tesserec::sweep {

/// Statistics of what one key alone says of the metric over n points. Neither statistic sees what two keys do together.
struct Importance {
  std::string key;
  /// For a list: its main effect, sum over values of n_v (mean_v - mean)^2 / sum of (y - mean)^2, the correlation ratio
  /// (Fisher 1925), over a full grid the key's functional ANOVA term (Hutter, Hoos and Leyton-Brown, ICML 2014). For a
  /// range: the square of Spearman's rank correlation (1904), ties at their mean rank. 0 to 1; NaN with fewer than
  /// three points, one value of key or metric, or all values of a list different.
  double share = 0;
  /// For a list: the value with the best mean. For a range: the better end, "more" or "less". Empty if `share` is NaN.
  std::string better;
};

/// Measures the keys, in order. `values[i]` is the metric of points[i]; ignores points that are not finite.
std::vector<Importance> importance(const Settings& settings, const std::vector<Point>& points,
                                   const std::vector<double>& values, bool more_is_better);

}  // namespace tesserec::sweep
