// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cassert>

#include <tesserec/core/lanes.hpp>

namespace tesserec {

Lanes::Lanes(int count) : count_(count) { assert(count > 0 && std::has_single_bit(static_cast<unsigned>(count))); }

int Lanes::automatic(Index global_batch) {
  const auto power_below = [](Index x) {
    return x < 1 ? Index{1} : static_cast<Index>(std::bit_floor(static_cast<std::uint64_t>(x)));
  };
  return static_cast<int>(std::max(std::min<Index>(8, power_below(global_batch / 64)),
                                   std::min<Index>(64, power_below(global_batch / 512))));
}

int Lanes::lane_of(Index s, Index n) const {
  // The last lane whose first sample is not above s: l*n/lanes <= s  <=>  l*n < (s+1)*lanes.
  return static_cast<int>(((s + 1) * count_ - 1) / n);
}

}  // namespace tesserec
