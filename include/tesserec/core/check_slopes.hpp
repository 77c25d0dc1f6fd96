// SPDX-License-Identifier: Apache-2.0
/// Gradients compared with difference quotients of the value: shared by the tests of layers and losses.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Size, tolerance and seed of a check.
struct GradientCheck {
  Index rows = 7;           ///< number of samples in the chunk
  double tolerance = 1e-2;  ///< largest difference from a slope, relative to the largest slope of its tensor
  std::uint64_t seed = 1;   ///< seed of inputs and parameters, drawn from N(0, 1)
};

/// The outcome of a check.
struct CheckedGradient {
  Index numbers = 0;      ///< number of gradients compared with slopes
  Index corners = 0;      ///< number of gradients left out, because slopes of two step widths differ: max(0, x) near 0
  double difference = 0;  ///< largest difference, relative as GradientCheck::tolerance
};

/// Comparison of gradients with the slopes of a function of the same values.
class SlopeCheck {
 public:
  /// Content of memory that nothing has written.
  static constexpr float untouched = std::numeric_limits<float>::quiet_NaN();

  /// Takes the function `value`, which reads the values that compare() changes. Keeps a reference to `check`.
  SlopeCheck(const GradientCheck& check, std::function<double()> value) : check_(check), value_(std::move(value)) {}

  /// Compares `gradient` with central differences of the function at `numbers`, which it restores. Throws Error that
  /// names the element by `name_of(i)`, its gradient and its slope if they differ by more than the tolerance.
  void compare(std::vector<float>& numbers, const std::vector<float>& gradient,
               const std::function<std::string(Index)>& name_of);
  /// Returns the outcome of all comparisons. Throws Error if more than a quarter of the gradients were left out.
  CheckedGradient result() const;

  /// Draws `size` values from N(0, 1), distinct for each stream.
  static std::vector<float> normal_numbers(const GradientCheck& check, Index stream, Index size);

 private:
  double slope(float& at, float h) const;

  const GradientCheck& check_;
  std::function<double()> value_;
  CheckedGradient result_;
};

}  // namespace tesserec
