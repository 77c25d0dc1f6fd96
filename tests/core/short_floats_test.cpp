// SPDX-License-Identifier: Apache-2.0
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/core/short_floats.hpp>

using namespace tesserec;

namespace {

/// Returns the value of a positive half from its bits, by definition (IEEE 754-2019, 3.4).
double half_value(std::uint32_t bits) {
  const int exponent = int(bits >> 10), fraction = int(bits & 0x3ff);
  return exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
}

/// Returns the nearest finite half, the even one of two equally near; 0x7c00 from half a step above the largest.
std::uint32_t nearest_half(double v) {
  if (v >= 65520.0) return 0x7c00;
  std::uint32_t low = 0, high = 0x7bff;
  while (high - low > 1) (half_value((low + high) / 2) <= v ? low : high) = (low + high) / 2;
  const double below = v - half_value(low), above = half_value(high) - v;
  return below < above || (below == above && low % 2 == 0) ? low : high;
}

}  // namespace

TEST_CASE("to_fp16 and to_bf16: return the bits of every fp16 and bf16 number with its sign") {
  for (std::uint32_t h = 0; h < 0x10000; ++h) {
    const float half = from_fp16(std::uint16_t(h)), brain = from_bf16(std::uint16_t(h));
    if ((h & 0x7fff) < 0x7c00) REQUIRE(double(half) == (h & 0x8000 ? -1 : 1) * half_value(h & 0x7fff));
    if (!std::isnan(half)) REQUIRE(to_fp16(half) == h);
    const bool denormal = (h & 0x7f80) == 0;
    if (!std::isnan(brain)) REQUIRE(to_bf16(brain) == (denormal ? h & 0x8000 : h));
  }
  CHECK(std::isinf(from_fp16(0xfc00)));
  for (const float nan : {std::numeric_limits<float>::quiet_NaN(), std::bit_cast<float>(0x7f800001u)}) {
    CHECK(std::isnan(from_fp16(to_fp16(nan))));
    CHECK(std::isnan(from_bf16(to_bf16(nan))));
  }
}

TEST_CASE("to_fp16_by and to_bf16_by: keep every number of their format, whatever the random number") {
  for (std::uint32_t h = 0; h < 0x10000; ++h)
    for (const std::uint32_t random : {0u, 1u, 7u, 8u, 0x8000u, 0xfff8u, 0xffffu}) {
      const float half = from_fp16(std::uint16_t(h)), brain = from_bf16(std::uint16_t(h));
      if (!std::isnan(half)) REQUIRE(to_fp16_by(half, random) == h);
      const bool denormal = (h & 0x7f80) == 0;
      if (!std::isnan(brain)) REQUIRE(to_bf16_by(brain, random) == (denormal ? h & 0x8000 : h));
    }
  for (const float nan : {std::numeric_limits<float>::quiet_NaN(), std::bit_cast<float>(0x7fffffffu)}) {
    CHECK(std::isnan(from_fp16(to_fp16_by(nan, 0xffff))));
    CHECK(std::isnan(from_bf16(to_bf16_by(nan, 0xffff))));
  }
  CHECK(std::isinf(from_fp16(to_fp16_by(65536.0f, 0))));
}

TEST_CASE("to_fp16_by and to_bf16_by: round up for the random numbers of the right share") {
  const Random random(4, Purpose::test);
  // Returns for how many of 2^16 random numbers v becomes `high`; for all others it becomes `low`.
  const auto ups = [](float v, const auto& round, std::uint32_t low, std::uint32_t high) {
    int count = 0;
    for (std::uint32_t r = 0; r < 0x10000; ++r) {
      const std::uint32_t rounded = round(v, r);
      REQUIRE((rounded == low || rounded == high));
      count += rounded == high;
    }
    return count;
  };
  for (int i = 0; i < 60; ++i) {
    const float v = std::ldexp(float(1.0 + random.uniform(0, i)), int(i % 42) - 27);
    std::uint32_t below = 0, above = 0x7c00;
    while (above - below > 1) (half_value((below + above) / 2) <= v ? below : above) = (below + above) / 2;
    const double low = half_value(below), high = half_value(above), share = (v - low) / (high - low);
    INFO(v);
    CHECK(std::abs(ups(v, to_fp16_by, below, above) - share * 0x10000) <= (below < 0x400 ? 0.5 : 0.0));
    const std::uint32_t bits = std::bit_cast<std::uint32_t>(v);
    CHECK(ups(v, to_bf16_by, bits >> 16, (bits >> 16) + 1) == int(bits & 0xffff));
    CHECK(ups(-v, to_bf16_by, bits >> 16 | 0x8000, ((bits >> 16) + 1) | 0x8000) == int(bits & 0xffff));
  }
}

TEST_CASE("to_fp16: rounds a float to the nearest number and ties to the even one") {
  const Random random(3, Purpose::test);
  const auto check = [](float v) {
    REQUIRE(to_fp16(v) == nearest_half(v));
    REQUIRE(to_fp16(-v) == (nearest_half(v) | 0x8000));
  };
  for (int i = 0; i < 20000; ++i) check(std::ldexp(float(1.0 + random.uniform(0, i)), int(i % 50) - 32));
  for (std::uint32_t h = 0; h < 0x7bff; h += 7) {  // the middle between two halves, and its neighbors
    const float middle = float((half_value(h) + half_value(h + 1)) / 2);
    for (const float v : {std::nextafter(middle, 0.0f), middle, std::nextafter(middle, 1e9f)}) check(v);
  }
  for (const float v : {65504.0f, std::nextafter(65520.0f, 0.0f), 65520.0f, 1e30f}) check(v);
}
