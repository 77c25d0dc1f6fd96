// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cmath>

#include "dual_function.hpp"

namespace tesserec::planning {

/// Prices: of what tables cost every rank, of pieces by their counts, and the rest of 1 of a second of their work.
struct Mixture {
  static constexpr std::size_t places = std::tuple_size_v<DualShares> + 1;

  double each = 1;
  DualShares counts{};
  double work() const;
  /// With one price a step higher, the last one that of what tables cost every rank.
  Mixture moved(std::size_t place, double step) const;
};

/// Climbs, place by place, until `value` is above 0, which is returned, or no step is higher, for at most so many
/// `evaluations`, which are taken off. Point has `places` and `moved`.
template <class Point, class Value>
bool climb(Point& point, const Value& value, int& evaluations) {
  constexpr double first_step = 0.1, last_step = 0.01;
  double best = value(point);
  --evaluations;
  std::array<double, Point::places> step;
  step.fill(first_step);
  for (bool moving = true; best <= 0 && moving;) {
    moving = false;
    for (std::size_t place = 0; place < Point::places && best <= 0; ++place) {
      if (std::abs(step[place]) < last_step) continue;
      if (evaluations <= 0) return false;
      moving = true;
      const Point next = point.moved(place, step[place]);
      const double found = value(next);
      --evaluations;
      if (found > best)
        best = found, point = next, step[place] *= 1.5;
      else
        step[place] *= -0.5;
    }
  }
  return best > 0;
}

}  // namespace tesserec::planning
