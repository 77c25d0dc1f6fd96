// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "moments.hpp"
#include "row_format.hpp"

namespace tesserec::data {

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
