// SPDX-License-Identifier: Apache-2.0
/// The fixed tree of tree.hpp in kernels with one source for hosts and GPUs: heights where leaves meet, and sums.
#pragma once

#include <cstdint>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec {

/// Returns the height of the lowest node above leaves a and b: std::bit_width of a ^ b.
TESSEREC_FUNCTION int height_above(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ b;
#ifdef __CUDA_ARCH__
  return 64 - __clzll(x);
#else
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

/// Height that marks the last leaf of a tree; above all others.
inline constexpr int last_leaf = 63;

/// Returns the height of the lowest node above leaves a and b, a < b. Returns last_leaf if the node is not inside
/// [begin, end): the sum so far is then a whole subtree's.
TESSEREC_FUNCTION int next_height(Index a, Index b, Index begin, Index end) {
  const int height = height_above(a, b);
  const Index first = a >> height << height;
  return begin <= first && first + (Index{1} << height) <= end ? height : last_leaf;
}

TESSEREC_FUNCTION float add(float a, float b) { return a + b; }

/// Sum by the fixed tree over leaves in order, in registers. A partial sum waits in the slot of the height where it
/// meets the next leaf.
template <class Number, int levels>
struct TreeSum {
  Number slot[levels] = {};
  std::uint32_t waiting = 0;

  /// Adds the sums that wait below `height`, where the next leaf meets this one, to the complete leaf `sum`. Then
  /// stores `sum` in the slot of `height`. After the last leaf (height last_leaf) `sum` is the tree's.
  TESSEREC_FUNCTION void climb(Number& sum, int height) {
    const int below = height <= levels ? height - 1 : levels;
    TESSEREC_UNROLL
    for (int k = 0; k < levels; ++k)
      if (k < below && (waiting >> k & 1)) sum = add(slot[k], sum);
    waiting &= ~((1u << below) - 1);
    if (height > levels) return;
    TESSEREC_UNROLL
    for (int k = 0; k < levels; ++k)
      if (k + 1 == height) slot[k] = sum;
    waiting |= 1u << (height - 1);
  }
};

}  // namespace tesserec
