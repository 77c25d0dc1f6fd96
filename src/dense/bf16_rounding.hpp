// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {
namespace {  // an object for each instruction set

constexpr std::uint32_t sign_bit = 0x80000000u, exponent_bits = 0x7f800000u, quiet_bit = 0x00400000u;

/// The bits of a bf16 number in the upper half: to the nearest, ties to even, denormal numbers to zero (VCVTNEPS2BF16).
TESSEREC_FUNCTION std::uint32_t round_to_bf16(float v) {
  const std::uint32_t bits = __builtin_bit_cast(std::uint32_t, v);
  std::uint32_t rounded = bits + 0x7fffu + (bits >> 16 & 1u);
  if ((bits & ~sign_bit) > exponent_bits) rounded = bits | quiet_bit;
  if ((bits & exponent_bits) == 0) rounded = bits & sign_bit;
  return rounded & 0xffff0000u;
}

}  // namespace
}  // namespace tesserec::dense
