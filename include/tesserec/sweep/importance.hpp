// SPDX-License-Identifier: Apache-2.0
/// Importance of a sweep's keys.
#pragma once

#include <string>
#include <vector>

#include <tesserec/sweep/points.hpp>

namespace tesserec::sweep {

/// Share of the metric's variance over n points that one key alone explains. It ignores interactions of keys.
struct Importance {
  std::string key;
  /// Main effect of a list: the correlation ratio (Fisher 1925), sum over values of n_v (mean_v - mean)^2 / sum of (y -
  /// mean)^2. Over a full grid this is the key's functional ANOVA term (Hutter, Hoos and Leyton-Brown, ICML 2014). For
  /// a range it is the square of Spearman's rank correlation (1904), ties at their mean rank. In [0, 1]. NaN with fewer
  /// than three points, one value of key or metric, or a list whose points all have different values.
  double share = 0;
  /// Value of a list with the best mean, or better end of a range, "more" or "less". Empty if `share` is NaN.
  std::string better;
};

/// Measures the importance of each key, in order. `values[i]` is the metric of points[i]. Ignores points whose value is
/// not finite.
std::vector<Importance> importance(const Settings& settings, const std::vector<Point>& points,
                                   const std::vector<double>& values, bool more_is_better);

}  // namespace tesserec::sweep
