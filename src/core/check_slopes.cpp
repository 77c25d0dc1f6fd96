// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include <tesserec/core/check_slopes.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec {

void SlopeCheck::compare(std::vector<float>& numbers, const std::vector<float>& gradient,
                         const std::function<std::string(Index)>& name_of) {
  std::vector<double> slopes;
  std::vector<bool> corner;
  double largest = 1e-3;  // smallest slope that floats (24 bits) of sums of N(0, 1) resolve
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double narrow = slope(numbers[i], 1e-2f), wide = slope(numbers[i], 2e-2f);
    slopes.push_back((4 * narrow - wide) / 3);  // Richardson extrapolation leaves an error of h^4.
    corner.push_back(std::abs(narrow - wide) > 0.05 * std::max({std::abs(narrow), std::abs(wide), 0.1}));
    largest = std::max(largest, std::abs(slopes.back()));
  }
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double difference = std::abs(gradient[i] - slopes[i]) / largest;
    if (corner[i] && difference > check_.tolerance) {
      ++result_.corners;
      continue;
    }
    ++result_.numbers;
    result_.difference = std::max(result_.difference, difference);
    if (!(difference <= check_.tolerance))
      fail(name_of(i), ": the gradient is ", significant(gradient[i], 4), ", but the difference quotient is ",
           significant(slopes[i], 4), "; check the backward pass");
  }
}

CheckedGradient SlopeCheck::result() const {
  if (result_.corners > (result_.numbers + result_.corners) / 4)
    fail(result_.corners, " of ", result_.numbers + result_.corners,
         " gradients are too close to a corner of the function for difference quotients; choose another seed");
  return result_;
}

double SlopeCheck::slope(float& at, float h) const {
  const float kept = at;
  at = kept + h;
  const double up = at, above = value_();
  at = kept - h;
  const double down = at, below = value_();
  at = kept;
  return (above - below) / (up - down);
}

std::vector<float> SlopeCheck::normal_numbers(const GradientCheck& check, Index stream, Index size) {
  const Random random(check.seed, Purpose::test, stream);
  std::vector<float> numbers(size);
  for (Index i = 0; i < size; ++i) numbers[i] = random.normal(i, 0);
  return numbers;
}

}  // namespace tesserec
