// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/kernel.hpp>

namespace tesserec {

/// Mixes 64 bits, one to one, by a step of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014, with Stafford's constants).
TESSEREC_FUNCTION std::uint64_t mixed_bits(std::uint64_t bits) {
  bits += 0x9E3779B97F4A7C15u;
  bits = (bits ^ bits >> 30) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ bits >> 27) * 0x94D049BB133111EBu;
  return bits ^ bits >> 31;
}

}  // namespace tesserec
