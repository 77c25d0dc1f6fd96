// SPDX-License-Identifier: Apache-2.0
/// Philox4x32-10 (Salmon, Moraes, Dror, Shaw, SC 2011) on one counter, on the host or a device.
#pragma once

#include <cstdint>

#include <tesserec/core/kernel.hpp>

namespace tesserec {

/// Row of random numbers to draw: column c goes to out[c - columns.begin].
struct DrawnRow {
  std::int64_t row;  // any 64-bit id
  float* out;
};

namespace philox {

inline constexpr int rounds = 10;
inline constexpr std::uint32_t multiplier0 = 0xD2511F53, multiplier1 = 0xCD9E8D57;
inline constexpr std::uint32_t step0 = 0x9E3779B9, step1 = 0xBB67AE85;  // increments of the key after each round

/// Replaces the counter c by four random words.
TESSEREC_FUNCTION void ten_rounds(std::uint32_t key0, std::uint32_t key1, std::uint32_t (&c)[4]) {
  for (int round = 0; round < rounds; ++round, key0 += step0, key1 += step1) {
    const std::uint64_t p0 = std::uint64_t{multiplier0} * c[0], p1 = std::uint64_t{multiplier1} * c[2];
    c[0] = std::uint32_t(p1 >> 32) ^ c[1] ^ key0;
    c[1] = std::uint32_t(p1);
    c[2] = std::uint32_t(p0 >> 32) ^ c[3] ^ key1;
    c[3] = std::uint32_t(p0);
  }
}

/// Maps 32 random bits to a value in [-bound, bound), with one rounding, as Random::fill_rows does.
TESSEREC_FUNCTION float uniform(std::uint32_t bits, float bound) {
  return __builtin_fmaf(2.0f * bound, float(bits >> 8) * 0x1p-24f, -bound);
}

}  // namespace philox
}  // namespace tesserec
