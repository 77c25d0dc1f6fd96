// SPDX-License-Identifier: Apache-2.0
// What the planner's bound rests on: pieces that fit on a rank have images of at most 1, and no uneven columns have a
// smaller sum than is said.
#include "src/planning/dual_function.hpp"

#include <cmath>
#include <numeric>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

TEST_CASE("dual functions are feasible") {
  const Random random(7, Purpose::test);
  const planning::DualFunction single[] = {
      {{1}, 1}, {{0, 1}, 1}, {{0, 0, 1}, 1}, {{0, 0, 0, 1}, 1}, {{0, 0, 0, 0, 1}, 1}};
  const planning::DualFunction mixed({0.2, 0.3, 0.1, 0.3, 0.1}, 4);
  double most = 0;
  for (Index trial = 0; trial < 5000; ++trial) {
    const int count = 1 + int(trial % 6);
    std::vector<double> pieces(count);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += pieces[i] = 0.05 + random.uniform53(trial, i);
    for (double& piece : pieces) piece = std::min(1.0, piece / sum);
    for (const auto& dual : single) {
      double images = 0;
      for (const double piece : pieces) images += dual.of(piece, 1);
      CHECK(images <= 1 + 1e-9);
      most = std::max(most, images);
    }
    if (count > 4) continue;
    double average = 0, images = 0;  // any sizes side by side
    for (int i = 0; i < count; ++i) {
      const double x = random.uniform53(trial, 10 + i);
      average += x / count, images += mixed.of(x, 1);
    }
    CHECK(mixed.of(average, count) <= images + 1e-9);
  }
  CHECK(most == Approx(1));
  // Just above a half counts as 1, two halves side by side as nothing.
  CHECK(single[0].of(0.501, 1) == 1);
  CHECK(single[0].of(0.5, 1) == 0);
  CHECK(single[1].of(0.67, 1) == 1);
  CHECK(single[1].of(0.34, 1) == 0.5);
}
