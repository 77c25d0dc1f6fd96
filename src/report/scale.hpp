// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::report {

/// Map from values to pixels along one axis.
class Scale {
 public:
  enum class Kind { linear, logarithmic };

  /// Maps `low` to pixel `from` and `high` to pixel `to`. Equal values are moved apart.
  Scale(double low, double high, double from, double to, Kind kind = Kind::linear);

  double at(double value) const;
  /// Returns 3 to 8 round values inside, if so many exist. On a logarithmic scale they are powers of ten, or 1, 2 and 5
  /// times powers of ten.
  std::vector<double> ticks() const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_, high_, from_, to_;
  Kind kind_;
};

/// Formats a value for an axis: "0.25", "15 k", "2.5 M".
std::string tick_text(double value);

}  // namespace tesserec::report
