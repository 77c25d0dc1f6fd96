// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/emulated/settings.hpp>

namespace tesserec::emulated {

/// The next number of the process's sequence, which the seed begins (SplitMix64).
inline std::uint64_t draw() {
  static std::uint64_t state = settings().seed;
  std::uint64_t z = state += 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}
inline std::uint64_t draw_below(std::uint64_t n) { return draw() % n; }

}  // namespace tesserec::emulated
