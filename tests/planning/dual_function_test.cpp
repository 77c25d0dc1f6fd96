// SPDX-License-Identifier: Apache-2.0
// What the planner's bound rests on: pieces that fit on a rank have images of at most 1.
#include "src/planning/dual_function.hpp"

#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

TEST_CASE("dual functions are feasible") {
  const Random random(7, Purpose::test);
  using planning::DualFunction;
  const DualFunction duals[] = {
      DualFunction({1}),          DualFunction({0, 1}),          DualFunction({0, 0, 1}),
      DualFunction({0, 0, 0, 1}), DualFunction({0, 0, 0, 0, 1}), DualFunction({0.2, 0.3, 0.1, 0.3, 0.1})};
  double most = 0;
  for (Index trial = 0; trial < 5000; ++trial) {
    const int count = 1 + int(trial % 6);
    std::vector<double> pieces(count);
    double sum = 0;
    for (int i = 0; i < count; ++i) sum += pieces[i] = 0.05 + random.uniform53(trial, i);
    for (const auto& dual : duals) {
      double images = 0;
      for (const double piece : pieces) images += dual.of(piece / sum);
      CHECK(images <= 1 + 1e-9);
      most = std::max(most, images);
    }
  }
  CHECK(most == Approx(1));
  // Just above a half counts as 1, a half as nothing.
  CHECK(duals[0].of(0.501) == 1);
  CHECK(duals[0].of(0.5) == 0);
  CHECK(duals[1].of(0.67) == 1);
  CHECK(duals[1].of(0.34) == 0.5);
  for (const double x : {0.0, 0.17, 0.3, 0.5, 0.51, 0.7, 1.0})
    for (std::size_t k = 0; k < 5; ++k) CHECK(DualFunction::all(x)[k] == duals[k].of(x));
}
