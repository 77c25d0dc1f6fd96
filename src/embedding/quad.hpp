// SPDX-License-Identifier: Apache-2.0
/// Four columns of a row, which a lane of a kernel takes at once, and the tree by which they are added.
#pragma once

#include <cmath>
#include <cstdint>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::embedding {

struct alignas(16) Quad {
  float v[4];
};

/// How columns lie in memory: `dim` of them a vector. With `whole` all vectors are whole quads at addresses that divide
/// by 16; without, numbers are read one by one, and 0 stands for those beyond.
template <bool whole>
struct Quads {
  Index dim;

  TESSEREC_FUNCTION Index count() const { return (dim + 3) / 4; }
  TESSEREC_FUNCTION bool has(Index q, int c) const { return whole || 4 * q + c < dim; }
  TESSEREC_FUNCTION Quad load(const float* vector, Index q) const {
    if constexpr (whole) return *reinterpret_cast<const Quad*>(vector + 4 * q);
    Quad quad{};
    for (int c = 0; c < 4; ++c)
      if (has(q, c)) quad.v[c] = vector[4 * q + c];
    return quad;
  }
  TESSEREC_FUNCTION void store(float* vector, Index q, const Quad& quad) const {
    if constexpr (whole) {
      *reinterpret_cast<Quad*>(vector + 4 * q) = quad;
    } else {
      for (int c = 0; c < 4; ++c)
        if (has(q, c)) vector[4 * q + c] = quad.v[c];
    }
  }
};

TESSEREC_FUNCTION Quad add(const Quad& a, const Quad& b) {
  return {a.v[0] + b.v[0], a.v[1] + b.v[1], a.v[2] + b.v[2], a.v[3] + b.v[3]};
}
TESSEREC_FUNCTION float add(float a, float b) { return a + b; }
TESSEREC_FUNCTION Quad fma(float w, const Quad& x, const Quad& sum) {
  return {std::fma(w, x.v[0], sum.v[0]), std::fma(w, x.v[1], sum.v[1]), std::fma(w, x.v[2], sum.v[2]),
          std::fma(w, x.v[3], sum.v[3])};
}

/// As std::bit_width of a ^ b.
TESSEREC_FUNCTION int height_above(std::uint64_t a, std::uint64_t b) {
  std::uint64_t x = a ^ b;
#ifdef __CUDA_ARCH__
  return 64 - __clzll(x);
#else
  return x == 0 ? 0 : 64 - __builtin_clzll(x);
#endif
}

/// Marks the last leaf of a tree; above all heights.
inline constexpr int last_leaf = 63;

/// Where leaf a meets leaf b > a: the height of the lowest node above both, or last_leaf if that does not lie inside
/// leaves [begin, end): then the sum so far is that of a whole subtree.
TESSEREC_FUNCTION int next_height(Index a, Index b, Index begin, Index end) {
  const int height = height_above(a, b);
  const Index first = a >> height << height;
  return begin <= first && first + (Index{1} << height) <= end ? height : last_leaf;
}

/// The fixed binary tree over leaves that come in order, in registers: a sum that waits for its right half is in the
/// slot of the height at which both meet. `levels`: at most so high.
template <class Number, int levels>
struct TreeSum {
  Number slot[levels] = {};
  std::uint32_t waiting = 0;

  /// The leaf `sum` is complete, and the next one meets it at `height`. After the last leaf `sum` is the tree's.
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

}  // namespace tesserec::embedding
