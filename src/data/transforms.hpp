// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "moments.hpp"
#include "row_format.hpp"

namespace tesserec::data {

/// How a raw number becomes a dense feature: x; log(1 + max(x, 0)), in double, rounded once; (x - mean) / sd.
/// A missing number is 0 before none and log1p, and 0 (the mean) after standardise.
class NumberTransform {
 public:
  NumberTransform(const std::string& feature, Transform transform, const Moments& moments);
  /// x is NaN where the number is missing.
  float operator()(double x) const;
  /// "none", "log1p" or "standardise mean=M sd=S", digits enough to read the same doubles again.
  std::string description() const;

 private:
  std::string feature_;
  Transform transform_;
  double mean_, standard_deviation_;
};

std::vector<NumberTransform> make_transforms(const RowLayout& layout, const std::vector<Moments>& moments);

}  // namespace tesserec::data
