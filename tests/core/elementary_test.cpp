// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/random.hpp>

namespace elementary = tesserec::elementary;
using elementary::parts::bits;
using elementary::parts::number;
using tesserec::Index;

namespace {

const tesserec::Random random_numbers(17, tesserec::Purpose::test, 40);

using Wide = long double;  // of the C library: 64 bits of fraction or more
Wide wide_sigmoid(Wide x) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }

/// A function, the interval of its arguments, and its largest permitted error in units of the last place.
template <class T>
struct Function {
  std::string name;
  T (*ours)(T);
  Wide (*exact)(Wide);
  T from, to;
  double max_error;
};

// x86-64 without FMA options calls the library's fma for each step, here as in src/core.
#define OURS(f) [](T x) { return elementary::f(x); }
#define EXACT(f) [](Wide x) -> Wide { return std::f(x); }
template <class T>
std::vector<Function<T>> functions() {
  const bool is_double = sizeof(T) == 8;
  const T angle = elementary::Numbers<T>::max_angle, largest = std::numeric_limits<T>::max();
  return {{"exp", OURS(exp), EXACT(exp), is_double ? T(-746) : T(-104), is_double ? T(709.78) : T(88.72), 0.8},
          {"expm1", OURS(expm1), EXACT(expm1), T(-40), is_double ? T(709.78) : T(88.72), 0.95},
          {"log", OURS(log), EXACT(log), T(0), largest, 0.6},
          {"log1p", OURS(log1p), EXACT(log1p), T(-1), largest, 0.62},
          {"sin", OURS(sin), EXACT(sin), -angle, angle, 0.8},
          {"cos", OURS(cos), EXACT(cos), -angle, angle, 0.8},
          {"tanh", OURS(tanh), EXACT(tanh), T(-25), T(25), 0.8},
          {"sigmoid", OURS(sigmoid), wide_sigmoid, T(-80), T(80), 2.5},
          {"erf", OURS(erf), EXACT(erf), T(-7), T(7), is_double ? 1.4 : 1.0}};
}

/// Returns arguments in the function's interval: drawn evenly from it, from around 1, from within one turn, of any
/// exponent, and near the borders where range reductions change to the next multiple.
template <class T>
std::vector<T> arguments(const Function<T>& f) {
  std::vector<T> x;
  const auto add = [&](T value) {
    if (value >= f.from && value <= f.to) x.push_back(value);
  };
  for (const T value : {T{0}, -T{0}, T{1}, T{-1}, std::numeric_limits<T>::min(), std::numeric_limits<T>::denorm_min()})
    add(value), add(-value);
  const std::vector<Wide> borders = {std::log(Wide{2}) / 2,
                                     std::acos(Wide{-1}) / 4,
                                     std::sqrt(Wide{2}),
                                     std::sqrt(Wide{0.5}),
                                     std::sqrt(Wide{2}) - 1,
                                     std::sqrt(Wide{0.5}) - 1,
                                     Wide{elementary::Polynomials<T>::erf_near}};
  for (Index i = 0; i < 20000; ++i) {
    const double u = random_numbers.uniform53(i, 0);
    add(static_cast<T>(2 * u));
    add(static_cast<T>(7 * u - 3.5));
    add(static_cast<T>(f.from + u * (Wide{f.to} - f.from)));
    add(static_cast<T>(std::ldexp(0.5 - u, static_cast<int>(random_numbers.below(40, i, 1)) - 30)));
    const auto q = random_numbers.quad(i, 1);
    add(number<T>(static_cast<typename elementary::Numbers<T>::Bits>(std::uint64_t{q[0]} << 32 | q[1])));
    const T near = static_cast<T>(borders[i % borders.size()] * (i % 3 == 0 ? 1 : q[2] % 2000));
    const T moved = number<T>(bits(near) + q[3] % 64 - 32);
    add(moved), add(-moved);
  }
  return x;
}

/// Returns the error in units of the last place of `exact`; huge if only one of the two is NaN or infinite.
template <class T>
double error(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  const T rounded = static_cast<T>(exact);
  if (got == rounded && (exact == 0 || std::isinf(rounded)))
    return std::signbit(got) == std::signbit(rounded) ? 0 : 1e9;
  if (!std::isfinite(got) || !std::isfinite(rounded)) return std::isnan(got) && std::isnan(rounded) ? 0 : 1e9;
  int exponent = 0;
  std::frexp(exact, &exponent);
  return static_cast<double>(
      std::abs(std::ldexp(got - exact, Limits::digits - std::max(exponent, Limits::min_exponent))));
}

template <class T>
void check_errors() {
  for (const Function<T>& f : functions<T>()) {
    double worst = 0;
    T at = 0;
    for (const T x : arguments(f)) {
      const double e = error(f.ours(x), f.exact(x));
      if (e > worst) worst = e, at = x;
    }
    CAPTURE(f.name, sizeof(T), at, f.ours(at), f.exact(at));
    CHECK(worst <= f.max_error);
  }
}

template <class T>
void check_special_values() {
  const T infinity = std::numeric_limits<T>::infinity(), nan = std::numeric_limits<T>::quiet_NaN();
  const T largest = std::numeric_limits<T>::max(), denormal = std::numeric_limits<T>::denorm_min();
  for (const Function<T>& f : functions<T>()) CHECK(std::isnan(f.ours(nan)));
  const auto same = [](T got, T expected) { return got == expected && std::signbit(got) == std::signbit(expected); };
  for (const T sign : {T{1}, T{-1}}) {
    for (const T x : {T{0}, denormal, 5 * denormal})
      for (T (*f)(T) : {+OURS(expm1), +OURS(log1p), +OURS(sin), +OURS(tanh)}) CHECK(same(f(sign * x), sign * x));
    CHECK(same(elementary::erf(sign * T{0}), sign * T{0}));
    for (const T x : {infinity, largest}) {
      CHECK(elementary::tanh(sign * x) == sign);
      CHECK(elementary::erf(sign * x) == sign);
      CHECK(std::isnan(elementary::sin(sign * x)));
      CHECK(std::isnan(elementary::cos(sign * x)));
      CHECK(same(elementary::exp(sign * x), sign > 0 ? infinity : T{0}));
      CHECK(elementary::expm1(sign * x) == (sign > 0 ? infinity : T{-1}));
      CHECK(same(elementary::sigmoid(sign * x), sign > 0 ? T{1} : T{0}));
    }
    for (const T value : {elementary::exp(sign * T{0}), elementary::cos(sign * T{0}), elementary::exp(sign * denormal)})
      CHECK(value == 1);
    CHECK(elementary::log(sign * T{0}) == -infinity);
  }
  CHECK(same(elementary::log(T{1}), T{0}));
  CHECK(elementary::log(infinity) == infinity);
  CHECK(elementary::log1p(infinity) == infinity);
  CHECK(elementary::log1p(T{-1}) == -infinity);
  for (const T x : {-denormal, T{-1}, -largest, -infinity}) CHECK(std::isnan(elementary::log(x)));
  for (const T x : {T{-1.5}, -largest, -infinity}) CHECK(std::isnan(elementary::log1p(x)));
  CHECK(std::isnan(elementary::sin(std::nextafter(elementary::Numbers<T>::max_angle, infinity))));
}

/// Checks that values do not fall across a border, in steps in which the function rises by more than its error.
template <class T>
void check_rising() {
  const Wide ln2 = std::log(Wide{2});
  const auto rises = [](const std::string& name, T (*f)(T), Wide border) {
    T last = f(number<T>(bits(static_cast<T>(border)) - 1600));
    for (int i = -99; i <= 100; ++i) {
      const T next =
          f(number<T>(bits(static_cast<T>(border)) + static_cast<typename elementary::Numbers<T>::Bits>(16 * i)));
      CAPTURE(name, static_cast<double>(border), i, last, next);
      REQUIRE(last <= next);
      last = next;
    }
  };
  for (const Wide half : {0.5L, 1.5L, 2.5L, 40.5L}) {
    rises("exp", OURS(exp), half * ln2);
    rises("expm1", OURS(expm1), half * ln2);
    if (half < 20) rises("tanh", OURS(tanh), half * ln2 / 2);
  }
  for (const Wide x : {std::sqrt(Wide{0.5}), Wide{1}, std::sqrt(Wide{2}), 8 * std::sqrt(Wide{2})}) {
    rises("log", OURS(log), x);
    rises("log1p", OURS(log1p), x - (x > 1));
  }
  rises("sin", OURS(sin), std::acos(Wide{-1}) / 4);
  rises("erf", OURS(erf), elementary::Polynomials<T>::erf_near);
}

}  // namespace

TEST_CASE("elementary: functions err by no more than documented") {
  check_errors<double>();
  check_errors<float>();
}

TEST_CASE("elementary: functions return the exact limits at zero and infinity and for NaN and denormals") {
  check_special_values<double>();
  check_special_values<float>();
}

TEST_CASE("elementary: functions do not fall where their reductions change") {
  check_rising<double>();
  check_rising<float>();
}
