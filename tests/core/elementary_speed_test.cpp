// SPDX-License-Identifier: Apache-2.0
/// Speed of the elementary functions. Hidden: `test_core "[speed]"` writes the table of docs/performance.md.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <iostream>
#include <vector>

#include "catch.hpp"
#include "elementary_loops.hpp"
#include <tesserec/core/text.hpp>

namespace tesserec::loops {

namespace standard {
using std::cos, std::erf, std::exp, std::expm1, std::log, std::log1p, std::sin, std::tanh;
template <class T>
T sigmoid(T x) {
  return 1 / (1 + std::exp(-x));
}
}  // namespace standard

namespace library {
LOOPS(, standard)
}
#if defined(__GNUC__) && !defined(__clang__)
#define LOOPS_ONE_BY_ONE LOOPS_AVX2 __attribute__((optimize("no-tree-vectorize")))
#else
#define LOOPS_ONE_BY_ONE LOOPS_AVX2
#endif
namespace one_by_one {
LOOPS(LOOPS_ONE_BY_ONE, elementary)
}

namespace {

/// Returns the nanoseconds of one call, the best of 50 runs.
template <class T>
std::string time_of(Loop<T> loop, double from, double to) {
  constexpr Index size = 4096;
  std::vector<T> x(size), y(size);
  for (Index i = 0; i < size; ++i)
    x[i] = static_cast<T>(from + (to - from) * static_cast<double>(i * 1597 % size) / size);
  double best = 1e30;
  for (int run = 0; run < 50; ++run) {
    const auto start = std::chrono::steady_clock::now();
    for (int pass = 0; pass < 4; ++pass) loop(x.data(), y.data(), size);
    const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
    best = std::min(best, took.count() / (4 * size));
  }
  return significant(best, 2);
}

template <class T>
std::string times_of(std::size_t f, double from, double to) {
  const std::string avx512 = has_avx512() ? time_of<T>(avx512::all<T>()[f], from, to) : "";
  const std::string avx2 = has_avx2() ? time_of<T>(avx2::all<T>()[f], from, to) : "";
  const std::string scalar = has_avx2() ? time_of<T>(one_by_one::all<T>()[f], from, to) : "";
  return concat(" | ", avx512, " | ", avx2, " | ", scalar, " | ", time_of<T>(plain::all<T>()[f], from, to), " | ",
                time_of<T>(library::all<T>()[f], from, to));
}

}  // namespace

TEST_CASE("elementary: prints the speed of every function", "[.][speed]") {
  const double ranges[][2] = {{-10, 10}, {-2, 2}, {0.001, 10}, {-0.9, 10}, {0, 6.28},
                              {0, 6.28}, {-3, 3}, {-8, 8},     {-3, 3}};
  std::cout << "| ns a call | double: AVX-512 | AVX2 | one by one | without FMA | C library "
               "| float: AVX-512 | AVX2 | one by one | without FMA | C library |\n";
  for (std::size_t f = 0; f < names.size(); ++f)
    std::cout << "| " << names[f] << times_of<double>(f, ranges[f][0], ranges[f][1])
              << times_of<float>(f, ranges[f][0], ranges[f][1]) << " |\n";
}

}  // namespace tesserec::loops
