// SPDX-License-Identifier: Apache-2.0
#include "scale.hpp"

#include <cmath>

#include <tesserec/core/text.hpp>

namespace tesserec::report {
namespace {

/// Returns the least of 1, 2 or 5 times a power of ten that is not below `min_step`.
double round_step(double min_step) {
  const double power = std::pow(10.0, std::floor(std::log10(min_step)));
  for (const double times : {1.0, 2.0, 5.0})
    if (times * power >= min_step * (1 - 1e-9)) return times * power;
  return 10 * power;
}

}  // namespace

Scale::Scale(double low, double high, double from, double to, Kind kind)
    : low_(low), high_(high), from_(from), to_(to), kind_(kind) {
  if (high_ > low_) return;
  const double around = kind == Kind::logarithmic || low != 0 ? std::abs(low) / 2 : 1;
  low_ -= around;
  high_ += around;
}

double Scale::at(double value) const {
  const double share =
      kind_ == Kind::linear ? (value - low_) / (high_ - low_) : std::log(value / low_) / std::log(high_ / low_);
  return from_ + share * (to_ - from_);
}

std::vector<double> Scale::ticks() const {
  std::vector<double> values;
  if (kind_ == Kind::linear) {
    const double step = round_step((high_ - low_) / 5);
    for (double k = std::ceil(low_ / step - 1e-9); k * step <= high_ + 1e-9 * step; ++k)
      values.push_back(k * step + 0.0);  // + 0.0 turns -0 into 0
    return values;
  }
  const int first = int(std::floor(std::log10(low_))), last = int(std::floor(std::log10(high_)));
  const int every = (last - first) / 7 + 1;  // powers of ten between ticks
  for (int power = first; power <= last; power += every)
    for (const double times : {1.0, 2.0, 5.0}) {
      const double value = times * std::pow(10.0, power);
      if ((times == 1 || last - first < 3) && value >= low_ * (1 - 1e-9) && value <= high_ * (1 + 1e-9))
        values.push_back(value);
    }
  return values;
}

std::string tick_text(double value) {
  const double size = std::abs(value);
  if (size >= 1e15) return significant(value, 5);
  if (size >= 1e12) return significant(value / 1e12, 5) + " T";
  if (size >= 1e9) return significant(value / 1e9, 5) + " G";
  if (size >= 1e6) return significant(value / 1e6, 5) + " M";
  if (size >= 1e4) return significant(value / 1e3, 5) + " k";
  return significant(value, 6);
}

}  // namespace tesserec::report
