// SPDX-License-Identifier: Apache-2.0
// Loops that are written once for a thread and a device, compared with plain loops.
#include <cmath>
#include <cstring>
#include <vector>

#include "catch.hpp"
#include "device_copies.hpp"
#include <tesserec/core/loops.hpp>
#include <tesserec/core/random.hpp>

using namespace tesserec;

namespace {

std::vector<float> numbers(Index n, Index column) {
  const Random random(25, Purpose::test);
  std::vector<float> values;
  for (Index i = 0; i < n; ++i) values.push_back(random.normal(i, column));
  return values;
}
bool same(const std::vector<float>& a, const std::vector<float>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}
/// Checks the same call on this thread, and on a device with `x` and `y` in its memory.
template <class Call>
void compare(const std::vector<float>& x, Index n, const std::vector<float>& expected, const Call& call) {
  std::vector<float> y(n, 7.0f);
  call(Where(), x.data(), y.data());
  CHECK(same(y, expected));
  std::fill(y.begin(), y.end(), 7.0f);
  DeviceCopies copies;
  call(Where(copies.device), copies(x), copies(y));
  copies.fetch();
  CHECK(same(y, expected));
}

// These are functions because a device's kernel must not stand inside another lambda.
void scale(const Where& where, Index rows, Index width, const float* x, float* y) {
  over_elements(
      where, "tesserec::test::scale", rows, width,
      KOKKOS_LAMBDA(Index r, Index c) { y[r * width + c] = float(r + 1) * x[r * width + c]; });
}
void add_rows(const Where& where, Index rows, Index width, const float* x, float* y) {
  over_rows(
      where, "tesserec::test::add", rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
        const float* const row = x + r * width;
        const float sum = threads.chains<float>(width, [=](Index i, float s) { return std::fma(row[i], row[i], s); });
        if (threads.first()) y[r] = sum;
      });
}
void multiply(const Where& where, Index rows, Index width, Index depth, const float* x, float* y) {
  over_rows(
      where, "tesserec::test::multiply", rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
        const float* const row = x + r * width;
        threads.sums(
            width, depth, [=](Index i) { return row[i]; },
            [=](Index k, Index i, float sum) { return std::fma(row[(i + k) % width], x[k], sum); },
            [=](Index i, float sum) { y[r * width + i] = sum; });
      });
}

}  // namespace

TEST_CASE("over_elements: visits each element of each row once") {
  const Index rows = 37, width = 29;
  const std::vector<float> x = numbers(rows * width, 0);
  std::vector<float> expected;
  for (Index i = 0; i < rows * width; ++i) expected.push_back(float(i / width + 1) * x[i]);
  compare(x, rows * width, expected,
          [&](const Where& where, const float* from, float* to) { scale(where, rows, width, from, to); });
}

TEST_CASE("RowThreads: chains sums number i in chain i % 8 and adds the eight chains in pairs") {
  for (Index width = 0; width <= 40; ++width) {
    const Index rows = 9;
    const std::vector<float> x = numbers(rows * width, 2);
    std::vector<float> expected;
    for (Index r = 0; r < rows; ++r) {
      float s[8] = {};
      for (Index i = 0; i < width; ++i) s[i % 8] = std::fma(x[r * width + i], x[r * width + i], s[i % 8]);
      expected.push_back(((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7])));
    }
    CAPTURE(width);
    compare(x, rows, expected,
            [&](const Where& where, const float* from, float* to) { add_rows(where, rows, width, from, to); });
  }
}

TEST_CASE("RowThreads: sums computes each of a row's sums in one chain") {
  for (const Index width : {1, 8, 63, 64, 65, 150}) {
    const Index rows = 5, depth = 11;
    const std::vector<float> x = numbers(rows * width + depth, 4);
    std::vector<float> expected;
    for (Index r = 0; r < rows; ++r)
      for (Index i = 0; i < width; ++i) {
        float sum = x[r * width + i];
        for (Index k = 0; k < depth; ++k) sum = std::fma(x[r * width + (i + k) % width], x[k], sum);
        expected.push_back(sum);
      }
    CAPTURE(width);
    compare(x, rows * width, expected,
            [&](const Where& where, const float* from, float* to) { multiply(where, rows, width, depth, from, to); });
  }
}

TEST_CASE("LoopBuffer: keeps its numbers until it grows and is aligned to 64 bytes") {
  LoopBuffer<float> buffer;
  float* const first = buffer.reserve({}, "tesserec::test::buffer", 10);
  CHECK(reinterpret_cast<std::uintptr_t>(first) % 64 == 0);
  first[3] = 5.0f;
  CHECK(buffer.reserve({}, "tesserec::test::buffer", 4) == first);
  CHECK(buffer.data()[3] == 5.0f);
  CHECK(buffer.reserve({}, "tesserec::test::buffer", 1000)[999] == 0.0f);
}
