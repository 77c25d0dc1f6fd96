// SPDX-License-Identifier: Apache-2.0
/// Gradients beside differences of the values that they are the slopes of: what tests of layers and losses share.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// The steps and bounds of a check.
struct GradientCheck {
  Index rows = 7;           ///< samples of the chunk
  double tolerance = 1e-2;  ///< of a slope, relative to the largest of its tensor
  std::uint64_t seed = 1;   ///< of inputs and parameters, which are N(0, 1)
};

/// The outcome of a check.
struct CheckedGradient {
  Index numbers = 0;      ///< gradients beside slopes
  Index corners = 0;      ///< left out, because slopes from both sides differ: max(0, x) at 0
  double difference = 0;  ///< the largest, relative as GradientCheck::tolerance
};

/// Numbers beside their gradients, and the function whose slopes these should be.
class SlopeCheck {
 public:
  /// Content of memory that nobody has written.
  static constexpr float untouched = std::numeric_limits<float>::quiet_NaN();

  /// Keeps a reference to `check`.
  SlopeCheck(const GradientCheck& check, std::function<double()> value) : check_(check), value_(std::move(value)) {}

  /// Compares `gradient` with central differences of the value. Error that names the number, by `name_of(i)`: its
  /// gradient, its slope.
  void compare(std::vector<float>& numbers, const std::vector<float>& gradient,
               const std::function<std::string(Index)>& name_of);
  /// Returns what all comparisons found. Error: more than a quarter of corners.
  CheckedGradient result() const;

  /// Draws `size` numbers N(0, 1), others for each stream.
  static std::vector<float> normal_numbers(const GradientCheck& check, Index stream, Index size);

 private:
  double slope(float& at, float h) const;

  const GradientCheck& check_;
  std::function<double()> value_;
  CheckedGradient result_;
};

}  // namespace tesserec
