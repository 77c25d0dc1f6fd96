// SPDX-License-Identifier: Apache-2.0
#include "catch.hpp"
#include "src/bench/costs.hpp"

using namespace tesserec;

TEST_CASE("fit: finds the constants that made the times") {
  const std::vector<double> constants{3e-9, 0.0, 5e-8};
  std::vector<std::vector<double>> a;
  std::vector<double> t;
  for (double i = 1; i < 8; ++i) {
    a.push_back({1e6 * i, 1e4 * i * i, 1e5 * (9 - i)});
    t.push_back(a.back()[0] * constants[0] + a.back()[2] * constants[2]);
  }
  const std::vector<double> found = bench::fit(a, t);
  REQUIRE(found.size() == 3);
  CHECK(found[0] == Approx(constants[0]).epsilon(1e-3));
  CHECK(found[1] * 1e4 < 1e-6);
  CHECK(found[2] == Approx(constants[2]).epsilon(1e-3));
}

TEST_CASE("fit: has no negative constant") {
  // The best straight line through these points has a negative slope.
  const std::vector<double> found = bench::fit({{1, 1}, {1, 2}, {1, 3}}, {3, 2, 1});
  CHECK(found[0] > 0);
  CHECK(found[1] == 0);
}

TEST_CASE("median: takes an odd and an even number of values") {
  CHECK(bench::median({3, 1, 2}) == 2);
  CHECK(bench::median({4, 1, 3, 2}) == 2.5);
  CHECK(bench::median({}) == 0);
}

TEST_CASE("Limits: reads_of() interpolates rates of rows and extrapolates beyond the measured sizes") {
  bench::Limits limits;
  CHECK(limits.reads_of(64) == 0);  // not measured
  limits.row_reads = {80, 40, 20, 10};
  CHECK(limits.reads_of(4) == 80);
  CHECK(limits.reads_of(64) == Approx(80));
  CHECK(limits.reads_of(128) == Approx(40));
  CHECK(limits.reads_of(192) == Approx(1 / (0.5 / 40 + 0.5 / 20)));
  CHECK(limits.reads_of(1024) == Approx(5));
}
