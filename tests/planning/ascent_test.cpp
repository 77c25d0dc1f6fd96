// SPDX-License-Identifier: Apache-2.0
// Concave functions of mixtures whose greatest value is known.
#include "src/planning/ascent.hpp"

#include <algorithm>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using planning::Mixture;

namespace {

/// The least of planes, of which each falls away from `top` where another rises, has its greatest value there: `most`.
struct Roof {
  Mixture top;
  double most;
  std::vector<Mixture> slopes;

  /// `share`: of each count at most, at the top.
  Roof(std::uint64_t k, double most, double share = 0.1) : most(most) {
    const Random random(k, Purpose::test);
    top.each = 3 * random.uniform53(0, 0);
    for (std::size_t i = 0; i < top.counts.size(); ++i) top.counts[i] = share * random.uniform53(1, Index(i));
    for (Index plane = 0; plane < 6; ++plane) {
      Mixture slope;
      slope.each = random.uniform53(2 + plane, 0) - 0.5;
      for (std::size_t i = 0; i < slope.counts.size(); ++i)
        slope.counts[i] = random.uniform53(2 + plane, 1 + Index(i)) - 0.5;
      slopes.push_back(slope);
      Mixture other = slope;
      other.each *= -1;
      for (double& value : other.counts) value *= -1;
      slopes.push_back(other);
    }
  }

  double operator()(const Mixture& at, Mixture& gradient) const {
    double least = 1e300;
    for (const Mixture& slope : slopes) {
      double value = most + slope.each * (at.each - top.each);
      for (std::size_t i = 0; i < at.counts.size(); ++i) value += slope.counts[i] * (at.counts[i] - top.counts[i]);
      if (value < least) least = value, gradient = slope;
    }
    return least;
  }
};

}  // namespace

TEST_CASE("steps find a mixture above 0 where there is one, inside the simplex") {
  int found = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Roof roof(k, 0.02);
    bool inside = true;
    const auto value = [&](const Mixture& at, Mixture& gradient) {
      inside =
          inside && at.each >= 0 && at.work() >= -1e-9 && *std::min_element(at.counts.begin(), at.counts.end()) >= 0;
      return roof(at, gradient);
    };
    Mixture mixture, gradient;
    int evaluations = 100;
    const bool above = ascend(mixture, value, evaluations);
    CHECK(inside);
    CHECK(above == (roof(mixture, gradient) > 0));
    CHECK(evaluations >= 0);
    found += above;
  }
  CHECK(found >= 18);
}

TEST_CASE("steps that lead out of the simplex stay in it") {
  int outside = 0;
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Roof roof(k, 0.02, 0.6);
    outside += roof.top.work() < 0;
    const auto value = [&](const Mixture& at, Mixture& gradient) {
      CHECK(at.work() >= -1e-9);
      return roof(at, gradient);
    };
    Mixture mixture;
    int evaluations = 100;
    ascend(mixture, value, evaluations);
  }
  CHECK(outside > 5);
}

TEST_CASE("steps end where no mixture is above 0, at the best that they met") {
  for (std::uint64_t k = 0; k < 20; ++k) {
    const Roof roof(k, -0.02);
    Mixture mixture, gradient;
    const double before = roof(mixture, gradient);
    int evaluations = 100;
    CHECK_FALSE(ascend(mixture, roof, evaluations));
    CHECK(evaluations >= 0);
    const double after = roof(mixture, gradient);
    CHECK(after >= before);
    CHECK(after >= -0.2);
  }
}
