// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

namespace tesserec::report {

/// Numbers to pixels, along one axis.
class Scale {
 public:
  enum class Kind { linear, logarithmic };

  /// `low` lies at pixel `from`, `high` at `to`. Equal numbers get room around them.
  Scale(double low, double high, double from, double to, Kind kind = Kind::linear);

  double at(double value) const;
  /// Returns 3 to 8 round numbers inside, if there are as many; logarithmic: powers of ten, or 1, 2 and 5 times those.
  std::vector<double> ticks() const;

  double low() const { return low_; }
  double high() const { return high_; }

 private:
  double low_, high_, from_, to_;
  Kind kind_;
};

/// A number beside an axis: "0.25", "15 k", "2.5 M".
std::string tick_text(double value);

}  // namespace tesserec::report
