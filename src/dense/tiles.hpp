// SPDX-License-Identifier: Apache-2.0
/// The kernels of any instruction set: V gives a vector register and a tile's rows. A tile of R rows and two registers
/// of columns stays in registers over the whole depth.
#pragma once

#include "kernels.hpp"

#define TESSEREC_INLINE inline __attribute__((always_inline))

namespace tesserec::dense {
namespace {  // an object for each instruction set

template <class V>
class Tiles {
 public:
  static constexpr Index width = 2 * V::floats;  ///< of a panel

 private:
  using Register = typename V::Register;
  static constexpr Index half = V::floats;
  /// Depth after which a tile rests in memory: so much of b, and a tile's part of a, stay in the first cache.
  static constexpr Index block = 256;
  static constexpr Index line = 16;  // floats

  /// c[r] += a[k * step + r * row] * b[k], k in order.
  template <int R, Index step, Index row>
  static TESSEREC_INLINE void accumulate(Index depth, const float* a, const float* b, Register (&c)[R][2]) {
#pragma GCC unroll 4
    for (Index k = 0; k < depth; ++k) {
      const Register b0 = V::load(b + k * width), b1 = V::load(b + k * width + half);
#pragma GCC unroll 12
      for (int r = 0; r < R; ++r) {
        const Register ar = V::broadcast(a + k * step + r * row);
        c[r][0] = V::fma(ar, b0, c[r][0]);
        c[r][1] = V::fma(ar, b1, c[r][1]);
      }
    }
  }

  /// Rows [row, row + R) of a product, over the depth [first, first + depth).
  template <int R>
  static void product_tile(const ProductPanel& p, Index first, Index depth, Index row) {
    const bool begins = first == 0, ends = first + depth == p.depth;
    float* out = p.c + row * width;
    Register c[R][2];
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h)
        c[r][h] = !begins              ? V::load(out + r * width + h * half)
                  : p.start != nullptr ? V::load(p.start + h * half)
                                       : V::zero();
    const float* a = p.a + (first * p.rows + row * width);
    const float* b = p.b + first * width;
    for (Index k = 0; k < depth; k += width, a += p.rows * width, b += width * width)
      accumulate<R, 1, width>(depth - k < width ? depth - k : width, a, b, c);
    if (ends && p.finish == Finish::relu)
#pragma GCC unroll 12
      for (int r = 0; r < R; ++r) c[r][0] = V::positive(c[r][0]), c[r][1] = V::positive(c[r][1]);
    if (ends && p.finish == Finish::gradient) gradient_finish<R>(p, row, c);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) V::store(out + r * width, c[r][0]), V::store(out + r * width + half, c[r][1]);
  }

  template <int R>
  static TESSEREC_INLINE void gradient_finish(const ProductPanel& p, Index row, Register (&c)[R][2]) {
#pragma GCC unroll 2
    for (int h = 0; h < 2; ++h) {
      Register sum = V::load(p.sums + h * half);
#pragma GCC unroll 12
      for (int r = 0; r < R; ++r) {
        if (p.y != nullptr) c[r][h] = V::where_positive(V::load(p.y + (row + r) * width + h * half), c[r][h]);
        sum = V::add(sum, c[r][h]);
      }
      V::store(p.sums + h * half, sum);
    }
  }

  /// Tiles for so many rows, each of nearly as many: a thin tile is slow.
  static Index tiles_of(Index rows) { return (rows + V::rows - 1) / V::rows; }

  template <int R>
  static TESSEREC_INLINE void product_rows(Index rows, const ProductPanel& p, Index first, Index depth, Index row) {
    if constexpr (R > 0) {
      if (rows == R) return product_tile<R>(p, first, depth, row);
      product_rows<R - 1>(rows, p, first, depth, row);
    }
  }

  template <int R>
  static void weight_tile(const WeightPanels& p, Index out) {
    Register c[R][2];
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      c[r][0] = c[r][1] = V::zero();
      __builtin_prefetch(p.dw + (out + r) * p.stride, 1);
      __builtin_prefetch(p.dw + (out + r) * p.stride + half, 1);
      __builtin_prefetch(p.dw + (out + r) * p.stride + width - 1, 1);
    }
    accumulate<R, width, 1>(p.rows, p.dy + out, p.x, c);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      float* to = p.dw + (out + r) * p.stride;
      float edge[width];
      float* from = p.ins == width ? to : edge;
      if (p.ins < width)
        for (Index i = 0; i < width; ++i) edge[i] = p.add && i < p.ins ? to[i] : 0.0f;
#pragma GCC unroll 2
      for (int h = 0; h < 2; ++h)
        V::store(from + h * half, p.add ? V::add(V::load(from + h * half), c[r][h]) : c[r][h]);
      if (p.ins < width)
        for (Index i = 0; i < p.ins; ++i) to[i] = edge[i];
    }
  }

  template <int R>
  static void weight_rows(Index rows, const WeightPanels& p, Index out) {
    if constexpr (R > 0) {
      if (rows == R) return weight_tile<R>(p, out);
      weight_rows<R - 1>(rows, p, out);
    }
  }

 public:
  static void product(const ProductPanel& p) {
    const Index tiles = tiles_of(p.rows);
    for (Index first = 0; first < p.depth; first += block) {
      const Index depth = p.depth - first < block ? p.depth - first : block;
      // The next block of b, of this panel or the next: to the second cache while this one is used.
      const float* next_b = p.b + (first + depth) * width;
      const Index share = depth * width / tiles + 1;
      for (Index t = 0, row = 0; t < tiles; ++t, next_b += share) {
        for (Index ahead = 0; ahead < share; ahead += line) __builtin_prefetch(next_b + ahead, 0, 2);
        const Index next = (t + 1) * p.rows / tiles;
        product_rows<V::rows>(next - row, p, first, depth, row);
        row = next;
      }
    }
  }

  static void weight_gradient(const WeightPanels& p) {
    const Index tiles = tiles_of(p.outs);
    for (Index t = 0, out = 0; t < tiles; ++t) {
      const Index next = (t + 1) * p.outs / tiles;
      weight_rows<V::rows>(next - out, p, out);
      out = next;
    }
  }
};

}  // namespace
}  // namespace tesserec::dense
