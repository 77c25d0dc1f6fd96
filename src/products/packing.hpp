// SPDX-License-Identifier: Apache-2.0
/// Packing of weights into panels, one square of register width at a time.
#pragma once

#include "tiles.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

template <class V>
class Packing {
  static constexpr Index side = V::floats, width = Tiles<V>::width;
  static constexpr Index line = 16;  // floats in a cache line

  /// Packs one square of w, transposed and, unless null, straight. If inlined, the rows' addresses would spill.
  static __attribute__((noinline)) void square(Index in, const float* w, float* transposed, float* straight) {
    typename V::Register rows[side];
#pragma GCC unroll 16
    for (int r = 0; r < side; ++r) {
      rows[r] = V::load(w + r * in);
      if (straight != nullptr) V::store(straight + r * width, rows[r]);
    }
    V::transpose(rows);
#pragma GCC unroll 16
    for (int r = 0; r < side; ++r) V::store(transposed + r * width, rows[r]);
  }

  /// Packs a square with fewer rows or columns, padded with zeros.
  static void edge(Index rows, Index columns, Index in, const float* w, float* transposed, float* straight) {
    for (Index c = 0; c < columns; ++c)
      for (Index r = 0; r < side; ++r) transposed[c * width + r] = r < rows ? w[r * in + c] : 0.0f;
    for (Index r = 0; straight != nullptr && r < rows; ++r)
      for (Index c = 0; c < side; ++c) straight[r * width + c] = c < columns ? w[r * in + c] : 0.0f;
  }

  /// Prefetches cache lines that are soon read and, unless null, soon written. Another core's cache may still hold the
  /// latter from the last step. Inlined, because GCC treats a function that only prefetches as one without effect.
  static TESSEREC_INLINE void fetch(Index in, const float* w, const float* transposed, const float* straight) {
    for (Index r = 0; r < side; ++r) {
      __builtin_prefetch(w + r * in);
      if (transposed != nullptr) __builtin_prefetch(transposed + r * width, 1);
      if (straight != nullptr) __builtin_prefetch(straight + r * width, 1);
    }
  }

  static Index clamped(Index count) {
    if (count < 0) return 0;
    return count < side ? count : side;
  }

 public:
  static void pack_rows(Index out, Index in, Index p, const float* w, float* forward, float* backward) {
    const Index first = p * width, padded = (in + width - 1) / width * width;
    float* panel = forward + first * in;
    const auto to = [&](Index i) { return backward + (i / width * out + first) * width + i % width; };
    for (Index i = 0; i < padded; i += side) {
      const Index columns = clamped(in - i);
      const bool more = i + width + side <= in && first + width <= out;
      for (Index o = 0; o < width; o += side) {
        const Index rows = clamped(out - first - o);
        const float* from = w + (first + o) * in + i;
        float* transposed = panel + i * width + o;
        float* straight = backward == nullptr ? nullptr : to(i) + o * width;
        if (more) {
          const float* const soon = straight != nullptr && i % width == 0 ? to(i + width) + o * width : nullptr;
          fetch(in, from + 2 * line, o == 0 ? transposed + width * width : nullptr, soon);
        }
        if (rows == side && columns == side)
          square(in, from, transposed, straight);
        else
          edge(rows, columns, in, from, transposed, straight);
      }
    }
  }
};

}  // namespace
}  // namespace tesserec::products
