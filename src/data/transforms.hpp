// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "row_format.hpp"

namespace tesserec::data {

/// Count, mean and sum of squared deviations: Welford (1962) for one more number, Chan, Golub and LeVeque (1983) for
/// two sets. Bits depend on the order, which the callers fix: rows in order within a text block, then blocks in order.
struct Moments {
  double count = 0;
  double mean = 0;
  double squares = 0;

  void add(double x) {
    count += 1;
    const double gap = x - mean;
    mean += gap / count;
    squares = std::fma(gap, x - mean, squares);
  }
  void add(const Moments& other) {
    if (other.count == 0) return;
    const double total = count + other.count;
    const double gap = other.mean - mean;
    squares += std::fma(gap * gap, count * (other.count / total), other.squares);
    mean = std::fma(gap, other.count / total, mean);
    count = total;
  }
  /// Returns the deviation of all numbers; 1 where they do not differ, so that dividing by it is always right.
  double standard_deviation() const { return squares > 0 ? std::sqrt(squares / count) : 1.0; }
};

/// Function that makes a raw number a dense feature: x; log(1 + max(x, 0)), in double, rounded once; (x - mean) / sd.
/// A missing number becomes 0, after standardise the mean, or what the stated fill becomes.
class NumberTransform {
 public:
  NumberTransform(const std::string& feature, Transform transform, const Moments& moments,
                  std::optional<double> fill = std::nullopt);
  /// The transform that description() describes; none where the text is no such description.
  static std::optional<NumberTransform> described(const std::string& feature, const std::string& text);
  /// x is NaN where the number is missing.
  float operator()(double x) const;
  /// Returns "none", "log1p" or "standardise mean=M sd=S", and " fill=F" if stated; digits restore the same doubles.
  std::string description() const;
  /// The same without what was measured: "standardise fill=F".
  std::string rule() const;

 private:
  std::string feature_;
  Transform transform_;
  double mean_, standard_deviation_;
  std::optional<double> fill_;
};

std::vector<NumberTransform> make_transforms(const RowLayout& layout, const std::vector<Moments>& moments);

}  // namespace tesserec::data
