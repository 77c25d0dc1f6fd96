// SPDX-License-Identifier: Apache-2.0
/// A digest of the bits of many numbers. Tests hold digests recorded on x86-64 that are valid on every processor: other
/// digests mean another model (runs/aarch64.sh).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <tesserec/core/elementary_parts.hpp>

namespace tesserec::test {

inline constexpr std::uint64_t digest_of_nothing = 0xcbf29ce484222325;

/// Returns FNV-1a over 8 bytes per value, continued from `before`; all NaNs count as one value.
template <class T>
std::uint64_t digest(const std::vector<T>& values, std::uint64_t before = digest_of_nothing) {
  std::uint64_t hash = before;
  for (const T value : values) {
    std::uint64_t left = std::isnan(value) ? ~std::uint64_t{0} : elementary::parts::bits(value);
    for (int byte = 0; byte < 8; ++byte, left >>= 8) hash = (hash ^ (left & 0xff)) * 0x100000001b3;
  }
  return hash;
}

}  // namespace tesserec::test
