// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include <tesserec/core/error.hpp>
#include <tesserec/raw/row_format.hpp>

namespace tesserec::raw {

/// Count, mean and sum of squared deviations. Adds a value by Welford (1962) and a set by Chan, Golub and LeVeque
/// (1983). The bits depend on the order, which callers fix: rows in order within a text block, then blocks in order.
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
  /// Returns the standard deviation of the values, or 1 if all are equal, so that it can always divide.
  double standard_deviation() const { return squares > 0 ? std::sqrt(squares / count) : 1.0; }
};

/// Number that does not fit a float after its transform.
class UnfitNumber : public Error {
 public:
  using Error::Error;
};

/// Transform from a raw number x to a dense feature: x, log(1 + max(x, 0)) or (x - mean) / sd, in double and rounded
/// once. A missing number becomes the transformed fill value, else 0, which is the standardized mean.
class NumberTransform {
 public:
  /// Takes the moments that standardise uses, and the fill value for missing numbers. Errors name `feature`.
  NumberTransform(const std::string& feature, Transform transform, const Moments& moments,
                  std::optional<double> fill = std::nullopt);
  /// Parses the text of description(). Returns nothing for any other text.
  static std::optional<NumberTransform> described(const std::string& feature, const std::string& text);
  /// Transforms x, which is NaN if missing. Throws UnfitNumber if the standardized x does not fit a float.
  float operator()(double x) const;
  /// Transforms `count` numbers, which are `ldx` apart, to dense features, which are `ldy` apart. Gives the same bits.
  void operator()(const double* x, Index ldx, Index count, float* dense, Index ldy) const;
  /// Returns "none", "log1p" or "standardise mean=M sd=S", then " fill=F" if set. The digits restore the same doubles.
  std::string description() const;
  /// Returns the description without measured values: "standardise fill=F".
  std::string rule() const;

 private:
  std::string feature_;
  Transform transform_;
  double mean_, standard_deviation_;
  std::optional<double> fill_;
};

/// Description of the transform of a missing_indicator, as data sets store it.
inline constexpr const char* indicator_rule = "missing_indicator";

/// Makes the transforms of the layout's dense features. `moments` [K].
std::vector<NumberTransform> make_transforms(const RowLayout& layout, const std::vector<Moments>& moments);

}  // namespace tesserec::raw
