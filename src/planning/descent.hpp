// SPDX-License-Identifier: Apache-2.0
/// Ways to where a function is less, without its gradient.
#pragma once

#include <array>
#include <cmath>

#include "problem.hpp"

namespace tesserec::planning {

/// Narrows where f is least to the share `step` of where that is.
template <class F>
void golden_section(double low, double high, double step, const F& f) {
  constexpr double part = 0.6180339887498949;
  double left = high - part * (high - low), right = low + part * (high - low);
  double at_left = f(left), at_right = f(right);
  while (high - low > step * high) {
    if (at_left < at_right) {
      high = right;
      right = left;
      at_right = at_left;
      at_left = f(left = high - part * (high - low));
    } else {
      low = left;
      left = right;
      at_left = at_right;
      at_right = f(right = low + part * (high - low));
    }
  }
}

/// Goes from there, where f is `least`, to where it is less, place by place, for so many evaluations.
template <class F>
void descend(Prices at, double least, const F& f, int evaluations) {
  constexpr double first_step = 0.1, last_step = 0.01;
  std::array<double, Prices::places> step;
  step.fill(first_step);
  for (bool moving = true; moving;) {
    moving = false;
    for (std::size_t place = 0; place < Prices::places; ++place) {
      if (std::abs(step[place]) < last_step) continue;
      if (--evaluations <= 0) return;
      moving = true;
      const Prices next = at.moved(place, step[place]);
      const double found = f(next);
      if (found < least) {
        least = found;
        at = next;
        step[place] *= 1.5;
      } else {
        step[place] *= -0.5;
      }
    }
  }
}

}  // namespace tesserec::planning
