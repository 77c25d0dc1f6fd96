// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/index.hpp>

namespace tesserec {

/// Returns the id with these mixed bits: the inverse of BlockOf::mixed.
inline Index id_of(std::uint64_t bits) {
  bits = (bits ^ bits >> 31 ^ bits >> 62) * 0x319642B2D24D8EC3u;
  bits = (bits ^ bits >> 27 ^ bits >> 54) * 0x96DE1B173F119089u;
  bits = bits ^ bits >> 30 ^ bits >> 60;
  return Index(bits - 0x9E3779B97F4A7C15u);
}

}  // namespace tesserec
