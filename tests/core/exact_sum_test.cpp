// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/exact_sum.hpp>

using namespace tesserec;

namespace {

double squares(const std::vector<float>& values) {
  ExactSum sum;
  add_squares(values.data(), std::ssize(values), sum);
  return sum.value();
}

}  // namespace

TEST_CASE("add_squares: sums the squares of floats exactly in any order and any partition") {
  std::mt19937_64 random(1);
  std::vector<float> values;
  for (int i = 0; i < 4000; ++i)
    values.push_back(std::ldexp(float(random() % 0x1000000), int(random() % 278) - 173));  // denormal to largest
  values.push_back(std::numeric_limits<float>::max());
  values.push_back(std::numeric_limits<float>::denorm_min());
  const double expected = squares(values);
  for (int round = 0; round < 5; ++round) {
    for (std::size_t i = 0; i + 4 <= values.size(); i += 4) {  // blocks of four stay whole
      const std::size_t other = random() % (values.size() / 4) * 4;
      std::swap_ranges(values.begin() + Index(i), values.begin() + Index(i) + 4, values.begin() + Index(other));
    }
    ExactSum partial[3], sum;
    const Index cuts[] = {0, 400 * (round + 1), 2800, std::ssize(values)};
    for (int run = 0; run < 3; ++run) add_squares(values.data() + cuts[run], cuts[run + 1] - cuts[run], partial[run]);
    for (const int run : {2, 0, 1}) sum += partial[run];
    REQUIRE(sum.value() == expected);
  }
}

TEST_CASE("ExactSum: keeps a small square next to a large one and propagates carries to the top") {
  const double tiny = 0x1p-298;
  ExactSum sum;
  sum.add(0x1p259);
  for (int i = 0; i < 1000; ++i) sum.add(tiny);
  ExactSum large;
  large.add(0x1p259);
  for (std::size_t i = 0; i < sum.words().size(); ++i) sum.words()[i] -= large.words()[i];
  REQUIRE(sum.value() == 1000 * tiny);

  ExactSum ones;  // 2^20 summands, each nearly 2^20
  for (int i = 0; i < 1 << 20; ++i) ones.add(0x1p20 - 0x1p-32);
  REQUIRE(ones.value() == 0x1p40 - 0x1p-12);
  REQUIRE(squares({3, 4, 0, 12}) == 169.0);
  REQUIRE(squares({}) == 0.0);
}

TEST_CASE("ExactSum: is infinite if a summand is not finite") {
  for (const float bad : {std::numeric_limits<float>::infinity(), std::nanf("")})
    REQUIRE(std::isinf(squares({1, 2, 3, 4, 5, bad})));
}
