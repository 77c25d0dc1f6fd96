// SPDX-License-Identifier: Apache-2.0
/// Floats of 16 bits: fp16 (IEEE 754 binary16), and bf16, the upper half of a float. Conversions round to nearest even,
/// or stochastically by 16 random bits, and use no conversion instruction.
#pragma once

#include <cstdint>

#include <tesserec/core/kernel.hpp>

namespace tesserec {
namespace {  // internal linkage: each object for an instruction set has its own functions

constexpr std::uint32_t sign_bit = 0x80000000u, exponent_bits = 0x7f800000u, quiet_bit = 0x00400000u;

/// Returns `yes` if a < b, else `no`, for a and b below 2^31. By a mask, because GCC turns a conditional operator with
/// a float product in one branch into a jump, which keeps a loop from being vectorized.
TESSEREC_FUNCTION std::uint32_t if_less(std::uint32_t a, std::uint32_t b, std::uint32_t yes, std::uint32_t no) {
  const std::uint32_t mask = std::uint32_t(std::int32_t(a - b) >> 31);
  return (yes & mask) | (no & ~mask);
}

/// Returns the bits of v rounded to bf16, in the upper half. Denormal numbers become zeros, as VCVTNEPS2BF16 makes
/// them.
TESSEREC_FUNCTION std::uint32_t round_to_bf16(float v) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v);
  std::uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
  if ((bits & ~sign_bit) > exponent_bits) rounded = bits | quiet_bit;
  if ((bits & exponent_bits) == 0) rounded = bits & sign_bit;
  return rounded & 0xffff0000u;
}

TESSEREC_FUNCTION std::uint16_t to_bf16(float v) { return std::uint16_t(round_to_bf16(v) >> 16); }
TESSEREC_FUNCTION float from_bf16(std::uint16_t bits) { return __builtin_bit_cast(float, std::uint32_t(bits) << 16); }

/// Returns the bits of v rounded to fp16. From 65520 (65504 and half a step) on they are infinite. Under 2^-14 they are
/// denormal, in steps of 2^-24.
TESSEREC_FUNCTION std::uint16_t to_fp16(float v) {
  constexpr std::uint32_t overflows = 0x477ff000u, least_normal = 0x38800000u, rebias = 112u << 23;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v), size = bits & ~sign_bit;
  const std::uint32_t normal = (size + 0xfffu + (size >> 13 & 1u) - rebias) >> 13;
  // The last bit of a number from 0.5 to 1 is 2^-24: the addition rounds to this bit.
  const std::uint32_t tiny = __builtin_bit_cast(std::uint32_t, __builtin_bit_cast(float, size) + 0.5f) - 0x3f000000u;
  std::uint32_t half = if_less(size, least_normal, tiny, normal);
  half = if_less(size, overflows, half, 0x7c00u);
  half = if_less(exponent_bits, size, 0x7e00u, half);
  return std::uint16_t(half | (bits & sign_bit) >> 16);
}
TESSEREC_FUNCTION float from_fp16(std::uint16_t half) {
  const std::uint32_t size = half & 0x7fffu, sign = std::uint32_t(half & 0x8000u) << 16;
  const std::uint32_t normal = (size << 13) + (112u << 23), special = size << 13 | exponent_bits;
  const std::uint32_t tiny = __builtin_bit_cast(std::uint32_t, float(std::int32_t(size)) * 0x1p-24f);
  std::uint32_t bits = if_less(size, 0x400u, tiny, normal);
  bits = if_less(size, 0x7c00u, bits, special);
  return __builtin_bit_cast(float, bits | sign);
}

/// Returns v rounded to one of the two bf16 numbers beside it: away from zero with the probability (v - nearer to zero)
/// / (distance of the two), exactly, if `random` is uniform in [0, 2^16). A bf16 number stays. Beyond the largest one
/// follows infinity, and denormal numbers become zeros, as in round_to_bf16.
TESSEREC_FUNCTION std::uint16_t to_bf16_by(float v, std::uint32_t random) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v);
  std::uint32_t rounded = bits + random;
  if ((bits & ~sign_bit) > exponent_bits) rounded = bits | quiet_bit;
  if ((bits & exponent_bits) == 0) rounded = bits & sign_bit;
  return std::uint16_t(rounded >> 16);
}

/// Returns v rounded to fp16 as to_bf16_by rounds to bf16. The probability is exact from 2^-14 on, and within 2^-17
/// below, where the step is 2^-24. Numbers above 65504 become infinite with their probability, from 65536 on always.
TESSEREC_FUNCTION std::uint16_t to_fp16_by(float v, std::uint32_t random) {
  constexpr std::uint32_t least_normal = 0x38800000u, rebias = 112u << 23;
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v), size = bits & ~sign_bit;
  const float steps = __builtin_bit_cast(float, if_less(size, least_normal, size, 0u)) * 0x1p24f;  // below 1024
  const std::int32_t whole = std::int32_t(steps);
  const std::int32_t up = steps - float(whole) > (float(std::int32_t(random)) + 0.5f) * 0x1p-16f;
  const std::uint32_t normal = (size + (random >> 3) - rebias) >> 13;
  std::uint32_t half = if_less(size, least_normal, std::uint32_t(whole + up), normal);
  half = if_less(half, 0x7c00u, half, 0x7c00u);
  half = if_less(exponent_bits, size, 0x7e00u, half);
  return std::uint16_t(half | (bits & sign_bit) >> 16);
}

}  // namespace
}  // namespace tesserec
