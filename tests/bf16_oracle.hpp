// SPDX-License-Identifier: Apache-2.0
/// Products of bf16 numbers by their definition, without speed (src/products/bf16.hpp).
#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace tesserec::test {

inline std::uint32_t bits(float v) { return std::bit_cast<std::uint32_t>(v); }
inline float number(std::uint32_t b) { return std::bit_cast<float>(b); }
/// Returns whether two numbers have the same bits; all NaNs are the same.
inline bool same(float a, float b) { return std::isnan(a) ? std::isnan(b) : bits(a) == bits(b); }

inline float flush(float v) { return std::fpclassify(v) == FP_SUBNORMAL ? std::copysign(0.0f, v) : v; }

/// Returns c + a b rounded once; denormal numbers count as zeros. Long double has 64 bits: enough for a 16-bit product
/// and a sum that is hardly normal.
inline float step(float a, float b, float c) {
  a = flush(a), b = flush(b), c = flush(c);
  const long double exact = static_cast<long double>(a) * b + c;
  const long double least = 0x1p-126L, rounds_up = least - 0x1p-151L;
  const bool near = std::fabs(exact) < 2 * least;
  if (near && exact != 0 && std::fabs(exact) < rounds_up) return std::copysign(0.0f, static_cast<float>(exact));
  return std::fma(a, b, c);
}

inline float rounded_to_bf16(float v) {
  if (std::isnan(v)) return v;
  v = flush(v);
  if (std::isinf(v) || v == 0.0f) return v;
  int exponent = 0;
  const double mantissa = std::frexp(double(v), &exponent);                                      // in [0.5, 1)
  return static_cast<float>(std::ldexp(std::nearbyint(std::ldexp(mantissa, 8)), exponent - 8));  // to infinity at most
}

inline float word(std::uint32_t even, std::uint32_t odd) { return number(odd << 16 | even); }

}  // namespace tesserec::test
