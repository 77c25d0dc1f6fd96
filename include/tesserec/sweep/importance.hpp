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
  /// For a list of values: its main effect, sum over its values of n_v (mean_v - mean)^2 / sum of (y - mean)^2, the
  /// correlation ratio (Fisher 1925), which over a full grid is the key's term of the functional ANOVA (Hutter, Hoos
  /// and Leyton-Brown, ICML 2014). Of a range: the square of Spearman's rank correlation (1904), ties at their mean
  /// rank. 0 to 1; not a number where fewer than three points count, where all have one value of the key or of the
  /// metric, or where each has another value of a list.
  double share = 0;
  /// For a list: the value with the best mean. For a range: "more" or "less", whichever goes with a better metric.
  /// Empty where `share` is not a number.
  std::string better;
};

/// Measures the keys, in their order. `values[i]` is the metric of points[i]; points whose value is not finite do not
/// count.
std::vector<Importance> importance(const Settings& settings, const std::vector<Point>& points,
                                   const std::vector<double>& values, bool more_is_better);

}  // namespace tesserec::sweep
