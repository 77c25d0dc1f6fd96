// SPDX-License-Identifier: Apache-2.0
// The planner's lower bound on small problems against all their plans.
#include <algorithm>

#include "catch.hpp"
#include "src/planning/problem.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::planning;

namespace {

/// Returns a problem whose tables may be whole, cut in two or three pieces at a cost for all ranks, or replicated on
/// all ranks.
Problem random_problem(std::uint64_t k, int tables) {
  const Random random(k, Purpose::test);
  Problem problem;
  problem.ranks = k % 8 == 1 ? 4 : 3;
  problem.memory = 1e9;
  problem.base = 0.1;
  problem.free.resize(tables);
  for (Index t = 0; t < tables; ++t) {
    const double size = k % 3 == 0 ? 1 : 0.3 + random.uniform53(t, 0), dear = 0.5 * random.uniform53(t, 1);
    auto& options = problem.options.emplace_back();
    for (int pieces = 0; pieces <= 3; ++pieces) {
      Option option;
      const double more = pieces == 0 ? 1.1 + dear : 1 + 0.4 * dear * (pieces - 1);
      if (pieces > 0) option.pieces.assign(pieces, {size * more / pieces, 1});
      option.common.seconds = pieces == 0 ? size * more / problem.ranks : 0.02 * pieces * random.uniform53(t, 3);
      derive(option, problem.ranks);
      options.push_back(std::move(option));
    }
  }
  return problem;
}

/// Finds the least maximum load over all plans, table by table. Ranks with equal loads are tried once.
void all_plans(const Problem& problem, std::size_t t, std::vector<double>& own, double common, double& best) {
  if (common + *std::max_element(own.begin(), own.end()) >= best) return;
  if (t == problem.options.size()) {
    best = common + *std::max_element(own.begin(), own.end());
    return;
  }
  for (const Option& option : problem.options[t]) {
    const int pieces = int(option.pieces.size());
    std::vector<std::vector<double>> seen;
    for (int owners = 0; owners < 1 << own.size(); ++owners) {
      if (__builtin_popcount(unsigned(owners)) != pieces) continue;
      std::vector<double> loads = own;
      for (std::size_t r = 0; r < own.size(); ++r)
        if (owners >> r & 1) loads[r] += option.pieces[0].seconds;
      std::sort(loads.begin(), loads.end());
      if (std::find(seen.begin(), seen.end(), loads) != seen.end()) continue;
      seen.push_back(loads);
      all_plans(problem, t + 1, loads, common + option.common.seconds, best);
    }
  }
}

}  // namespace

TEST_CASE("lower_bound: no plan of a small problem has a smaller maximum load") {
  double nearest = 0;
  for (std::uint64_t k = 0; k < 16; ++k) {
    const Problem problem = random_problem(k, k % 6 == 5 ? 7 : 9);
    std::vector<double> own(problem.ranks);
    double best = 1e300;
    all_plans(problem, 0, own, problem.base, best);
    const double bound = lower_bound(problem);
    INFO("problem " << k << ", best " << best << ", bound " << bound);
    CHECK(bound <= best * (1 + 1e-6));
    nearest = std::max(nearest, bound / best);
  }
  CHECK(nearest > 0.97);
}
