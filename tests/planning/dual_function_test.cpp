// SPDX-License-Identifier: Apache-2.0
// What the planner's bound rests on: pieces that fit on a rank have images of at most 1.
#include "src/planning/dual_function.hpp"

#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

TEST_CASE("dual functions are feasible") {
  const Random random(7, Purpose::test);
  using planning::DualFunction, planning::DualShares;
  std::vector<DualFunction> duals;
  for (std::size_t k = 0; k < DualShares{}.size(); ++k) {
    DualShares one{};
    one[k] = 1;
    duals.emplace_back(one);
  }
  duals.emplace_back(DualShares{0.2, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.1});
  std::vector<double> most(duals.size());
  for (Index trial = 0; trial < 5000; ++trial) {
    const int count = 1 + int(trial % 6);
    std::vector<double> pieces(count);
    double sum = 0;
    const double least = trial % 2 == 0 ? 0.05 : 0;
    for (int i = 0; i < count; ++i) sum += pieces[i] = least + random.uniform53(trial, i);
    for (std::size_t k = 0; k < duals.size(); ++k) {
      double images = 0;
      for (const double piece : pieces) images += duals[k].of(piece / sum);
      CHECK(images <= 1 + 1e-9);
      most[k] = std::max(most[k], images);
    }
  }
  for (const double images : most) CHECK(images == Approx(1));
  // Just above a half counts as 1, a half as nothing.
  CHECK(duals[0].of(0.501) == 1);
  CHECK(duals[0].of(0.5) == 0);
  CHECK(duals[1].of(0.67) == 1);
  CHECK(duals[1].of(0.34) == 0.5);
  // Below a tenth is nothing, above nine tenths is all, between them is what it is, rounded away from a half.
  CHECK(duals[6].of(0.099) == 0);
  CHECK(duals[6].of(0.901) == 1);
  CHECK(duals[6].of(0.3) == Approx(0.3).margin(1.0 / 240));
  CHECK(duals[6].of(0.3) < 0.3);
  CHECK(duals[6].of(0.701) > 0.701);
  for (const double x : {0.0, 0.03, 0.17, 0.3, 0.5, 0.51, 0.7, 1.0})
    for (std::size_t k = 0; k < DualShares{}.size(); ++k) CHECK(DualFunction::all(x)[k] == duals[k].of(x));
}
