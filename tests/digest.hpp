// SPDX-License-Identifier: Apache-2.0
/// One number for the bits of many. The ones that tests hold were recorded on x86-64 and stand on every processor:
/// what differs from them is another model (runs/aarch64.sh).
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include <tesserec/core/elementary_parts.hpp>

namespace tesserec::test {

inline constexpr std::uint64_t digest_of_nothing = 0xcbf29ce484222325;

/// FNV-1a of 8 bytes a value, after those of `before`; all NaNs are one.
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
