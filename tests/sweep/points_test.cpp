// SPDX-License-Identifier: Apache-2.0
// Points of a sweep: each method, faults of the settings, and labels.
#include <algorithm>
#include <cmath>
#include <set>

#include "catch.hpp"
#include <tesserec/core/text.hpp>
#include <tesserec/sweep.hpp>

using namespace tesserec;
using sweep::Method;
using Values = std::vector<std::string>;

namespace {

sweep::Key list(const std::string& path, const Values& values) { return {path, values}; }
sweep::Key range(const std::string& path, double min, double max, bool log = false, bool integer = false) {
  return {path, {}, min, max, log, integer};
}

sweep::Settings settings(Method method, const std::vector<sweep::Key>& keys, Index points = 0) {
  sweep::Settings s;
  s.method = method;
  s.points = points;
  s.keys = keys;
  return s;
}

std::string fault_of(const sweep::Settings& s) {
  const auto fault = sweep::fault(s);
  return fault ? fault->key + " " + fault->text : "";
}

std::vector<double> column(const sweep::Settings& s, std::size_t key) {
  std::vector<double> numbers;
  for (const sweep::Point& point : sweep::points(s)) numbers.push_back(parse_number<double>(point[key]).value());
  return numbers;
}

/// Returns the largest distance of the sorted numbers, scaled to [0, 1], from an even row (the star discrepancy).
double discrepancy(std::vector<double> x, double min, double max) {
  std::sort(x.begin(), x.end());
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double at = (x[i] - min) / (max - min), n = double(x.size());
    worst = std::max({worst, std::abs(at - double(i) / n), std::abs(at - double(i + 1) / n)});
  }
  return worst;
}

}  // namespace

TEST_CASE("points: a grid varies its last key first and a list pairs its values") {
  const std::vector<sweep::Key> keys = {list("a.x", {"1", "2"}), list("a.y", {"\"u\"", "\"v\""})};
  CHECK(sweep::points(settings(Method::grid, keys)) ==
        std::vector<sweep::Point>{{"1", "\"u\""}, {"1", "\"v\""}, {"2", "\"u\""}, {"2", "\"v\""}});
  CHECK(sweep::points(settings(Method::list, keys)) == std::vector<sweep::Point>{{"1", "\"u\""}, {"2", "\"v\""}});
}

TEST_CASE("points: a random or halton point is a function of seed and index") {
  for (const Method method : {Method::random, Method::halton}) {
    const std::vector<sweep::Key> keys = {range("a.x", 1e-4, 1, true), range("a.n", 2, 5, false, true),
                                          list("a.t", {"\"u\"", "\"v\""})};
    auto fewer = settings(method, keys, 20), more = settings(method, keys, 60), other = fewer;
    other.seed = 2;
    const auto few = sweep::points(fewer), many = sweep::points(more);
    REQUIRE(few.size() == 20);
    REQUIRE(many.size() == 60);
    CHECK(std::equal(few.begin(), few.end(), many.begin()));
    CHECK(sweep::points(other) != few);
    CHECK(std::set<sweep::Point>(many.begin(), many.end()).size() == 60);
    std::set<std::string> integers, texts;
    int small = 0;
    for (const sweep::Point& point : many) {
      const double x = parse_number<double>(point[0]).value();
      CHECK((x >= 1e-4 && x <= 1));
      small += x < 1e-2;
      integers.insert(point[1]), texts.insert(point[2]);
    }
    CHECK(std::abs(small - 30) <= 8);  // half of the logarithms
    CHECK(integers == std::set<std::string>{"2", "3", "4", "5"});
    CHECK(texts.size() == 2);
  }
  // Fixed expected numbers: no machine or version may give others.
  CHECK(sweep::points(settings(Method::random, {range("a.x", 0, 1), range("a.y", 1e-3, 10, true)}, 2)) ==
        std::vector<sweep::Point>{{"0.3048", "0.0332"}, {"0.5438", "2.587"}});
  CHECK(sweep::points(settings(Method::halton, {range("a.x", 0, 1), range("a.y", 1e-3, 10, true)}, 2)) ==
        std::vector<sweep::Point>{{"0.1851", "0.001117"}, {"0.6851", "0.02407"}});
}

TEST_CASE("points: halton spreads more evenly than random in every key and between two") {
  std::vector<sweep::Key> keys;
  for (int k = 0; k < 8; ++k) keys.push_back(range("a.k" + std::to_string(k), 0, 1));
  const auto even = settings(Method::halton, keys, 200), random = settings(Method::random, keys, 200);
  for (std::size_t k = 0; k < keys.size(); ++k) {
    INFO(k);
    CHECK(discrepancy(column(even, k), 0, 1) < 0.03);
  }
  CHECK(discrepancy(column(random, 0), 0, 1) > 0.03);
  // Unscrambled, the 7th and 8th prime rise together over 200 points.
  const auto x = column(even, 6), y = column(even, 7);
  int cells[4] = {};
  for (std::size_t i = 0; i < x.size(); ++i) ++cells[(x[i] < 0.5 ? 0 : 1) + (y[i] < 0.5 ? 0 : 2)];
  for (const int cell : cells) CHECK(std::abs(cell - 50) <= 15);
}

TEST_CASE("fault: names the key and what is wrong with it") {
  CHECK(fault_of(settings(Method::grid, {})) == "keys is empty; give at least one key that varies");
  CHECK(fault_of(settings(Method::grid, {list("a.x", {"0.1", "0.2", "0.1"})})) ==
        "keys.a.x has 0.1 twice, which would repeat points; remove one");
  CHECK(fault_of(settings(Method::list, {list("a.x", {"1", "2", "1"}), list("a.y", {"3", "4", "3"})})) ==
        "keys makes points 0 and 2 the same, x=1,y=3; remove one");
  CHECK(fault_of(settings(Method::list, {list("a.x", {"1", "2"}), list("a.y", {"3"})})) ==
        "keys.a.y has 1 value, but a.x has 2; method = \"list\" needs lists of the same length");
  CHECK(fault_of(settings(Method::grid, {range("a.x", 0, 1)})).find("keys.a.x is a range") == 0);
  CHECK(fault_of(settings(Method::random, {range("a.x", 0, 1)})) ==
        "points is missing; give the number of points to draw");
  CHECK(fault_of(settings(Method::random, {range("a.x", 2, 1)}, 3)) ==
        "keys.a.x has min = 2.0, which is not below max = 1.0");
  CHECK(fault_of(settings(Method::random, {range("a.x", 0, 1, true)}, 3)).find("needs a min above 0") !=
        std::string::npos);
  CHECK(fault_of(settings(Method::halton, {range("a.x", 1, 3, false, true)}, 4))
            .find("points is 4, but only 3 different points were drawn") == 0);
  CHECK(fault_of(settings(Method::halton, {range("a.x", 1, 3, false, true)}, 3)).empty());
}

TEST_CASE("label: tells points apart and is a file name") {
  const auto s = settings(Method::list, {list("optimizer.dense.lr", {"0.1"}), list("optimizer.sparse.lr", {"1e-05"}),
                                         list("model.top", {"[64, 32, 1]"}), list("model.type", {"\"a/b\""})});
  CHECK(sweep::label(s, sweep::points(s)[0]) == "dense.lr=0.1,sparse.lr=1e-05,top=64-32-1,type=ab");
}
