// SPDX-License-Identifier: Apache-2.0
// Successive halving: its rungs, the points that continue, and the importance of keys.
#include <cmath>

#include "catch.hpp"
#include <tesserec/sweep.hpp>

using namespace tesserec;
using Indices = std::vector<Index>;

namespace {

constexpr sweep::Halving thirds{48, 3};

/// Returns the standing for values[point][rung]; a shorter row ended at an earlier rung.
sweep::Standing standing(const std::vector<std::vector<double>>& values, std::size_t rungs, bool more = true,
                         const sweep::Halving& halving = thirds) {
  const auto value = [&](Index point, std::size_t rung) -> std::optional<double> {
    if (rung < values[point].size()) return values[point][rung];
    return std::nullopt;
  };
  return sweep::standing(halving, rungs, std::ssize(values), value, more);
}

}  // namespace

TEST_CASE("rungs: each is eta times as long as the one before and the last is the whole run") {
  CHECK(sweep::rungs(thirds, 432) == Indices{48, 144, 432});
  CHECK(sweep::rungs(thirds, 433) == Indices{48, 144, 432, 433});
  CHECK(sweep::rungs(thirds, 100) == Indices{48, 100});
  CHECK(sweep::rungs({}, sweep::to_the_end) == Indices{sweep::to_the_end});
  CHECK(sweep::rungs({1, 1000}, Index{1} << 62).back() == Index{1} << 62);  // no overflow
}

TEST_CASE("standing: a rung opens when all points of the previous one have a value") {
  std::vector<std::vector<double>> values = {{5}, {1}, {}, {7}, {7}, {2}, {0}, {3}, {4}};
  auto result = standing(values, 3);
  CHECK(result.open() == 0);
  CHECK(result.waiting == Indices{2});
  values[2] = {6};
  result = standing(values, 3);
  CHECK(result.open() == 1);
  CHECK(result.in.at(1) == Indices{2, 3, 4});
  CHECK(result.waiting == Indices{2, 3, 4});
  CHECK(result.is_in(1, 3));
  CHECK_FALSE(result.is_in(1, 0));
  CHECK(standing(values, 3, false).in.at(1) == Indices{1, 5, 6});
  values[2].push_back(1), values[3].push_back(9), values[4].push_back(9);
  result = standing(values, 3);
  CHECK(result.in.at(2) == Indices{3});  // the lower index of two equal values
  values[3].push_back(0);
  CHECK(standing(values, 3).waiting.empty());
}

TEST_CASE("standing: diverged points never continue and at least one other point does") {
  const double nan = std::nan("");
  CHECK(standing({{nan}, {1}, {nan}, {nan}, {nan}, {nan}}, 2).in.at(1) == Indices{1});
  CHECK(standing({{1}, {2}}, 2).in.at(1) == Indices{1});
  const auto result = standing({{nan}, {nan}}, 2);
  CHECK(result.in.size() == 1);
  CHECK(result.waiting.empty());
}

TEST_CASE("importance: a key's share is that of the variance between its values") {
  sweep::Settings s;
  s.keys = {{"a.x", {"1", "2"}}, {"a.y", {"1", "2", "3"}}, {"a.z", {"0"}}};
  std::vector<sweep::Point> points;
  std::vector<double> values;
  for (const double x : {1, 2})
    for (const double y : {1, 2, 3}) {
      points.push_back({x == 1 ? "1" : "2", std::to_string(int(y)), "0"});
      values.push_back(10 * x + y);  // variances 25 and 2 / 3
    }
  auto shares = sweep::importance(s, points, values, true);
  CHECK(shares[0].share == Approx(25 / (25 + 2.0 / 3)));
  CHECK(shares[0].better == "2");
  CHECK(shares[1].share == Approx(2.0 / 3 / (25 + 2.0 / 3)));
  CHECK(std::isnan(shares[2].share));  // has one value
  CHECK(sweep::importance(s, points, values, false)[1].better == "1");
  values[5] = std::nan("");  // without it the values of y have means 16, 17, 13 over 2, 2, 1 points
  const double mean = (11 + 12 + 13 + 21 + 22) / 5.0;
  const double between = 2 * std::pow(16 - mean, 2) + 2 * std::pow(17 - mean, 2) + std::pow(13 - mean, 2);
  const double all = std::pow(11 - mean, 2) + std::pow(12 - mean, 2) + std::pow(13 - mean, 2) + std::pow(21 - mean, 2) +
                     std::pow(22 - mean, 2);
  CHECK(sweep::importance(s, points, values, true)[1].share == Approx(between / all));
  s.keys = {{"a.x", {"1", "2", "3"}}};
  CHECK(std::isnan(sweep::importance(s, {{"1"}, {"2"}, {"3"}}, {1, 5, 2}, true)[0].share));  // each value once
}

TEST_CASE("importance: a range counts by rank correlation with ties at their mean") {
  sweep::Settings s;
  s.keys = {{"a.x", {}, 0, 10}};
  const std::vector<sweep::Point> points = {{"1"}, {"2"}, {"3"}, {"4"}};
  auto effect = sweep::importance(s, points, {-1, -10, -100, -1000}, true)[0];
  CHECK(effect.share == Approx(1));
  CHECK(effect.better == "less");
  CHECK(sweep::importance(s, points, {-1, -10, -100, -1000}, false)[0].better == "more");
  // Ranks 1, 2.5, 2.5, 4 against 1, 2, 3, 4: rho = 4.5 / sqrt(5 * 4.5), its square 0.9.
  CHECK(sweep::importance(s, points, {0, 5, 5, 9}, true)[0].share == Approx(0.9));
}
