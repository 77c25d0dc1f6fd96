// SPDX-License-Identifier: Apache-2.0
/// Floats of 16 bits: fp16 (IEEE 754 binary16), and bf16, the upper half of a float. Conversions round to nearest even
/// and use no conversion instruction.
#pragma once

#include <cstdint>

#include <tesserec/core/kernel.hpp>

namespace tesserec {
namespace {  // internal linkage: each object for an instruction set has its own functions

constexpr std::uint32_t sign_bit = 0x80000000u, exponent_bits = 0x7f800000u, quiet_bit = 0x00400000u;

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
  std::uint32_t half = size < least_normal ? tiny : normal;
  half = size >= overflows ? 0x7c00u : half;
  half = size > exponent_bits ? 0x7e00u : half;
  return std::uint16_t(half | (bits & sign_bit) >> 16);
}
TESSEREC_FUNCTION float from_fp16(std::uint16_t half) {
  const std::uint32_t size = half & 0x7fffu, sign = std::uint32_t(half & 0x8000u) << 16;
  const std::uint32_t normal = (size << 13) + (112u << 23), special = size << 13 | exponent_bits;
  const std::uint32_t tiny = __builtin_bit_cast(std::uint32_t, float(size) * 0x1p-24f);
  std::uint32_t bits = size < 0x400u ? tiny : normal;
  bits = size >= 0x7c00u ? special : bits;
  return __builtin_bit_cast(float, bits | sign);
}

}  // namespace
}  // namespace tesserec
