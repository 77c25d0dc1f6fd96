// SPDX-License-Identifier: Apache-2.0
/// Kernels for any instruction set and precision. V gives a vector register, the rows of a tile, and how many rows are
/// rounded together. A tile has R rows and H registers of columns: 2, or 1 in a narrow last panel. It stays in
/// registers over a block of the depth in product(), and over all rows in weight_gradient().
#pragma once

#include "coded_finish.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

template <class V>
class Tiles {
 public:
  static constexpr Index width = 2 * V::floats;  ///< columns of a panel

 private:
  using Register = typename V::Register;
  static constexpr Index half = V::floats;
  /// Depth between stores of the tiles. A block of b's panel stays in L1 over all rows, and a block of a in L2 over all
  /// panels.
  static constexpr Index block = 256;
  /// Floats of x that stay in L2 while all of dy is read.
  static constexpr Index x_block = 32 * 1024;
  static constexpr Index line = 16;                                    // floats in a cache line
  static constexpr bool is_coded = requires { typename V::Numbers; };  // V has the arithmetic of int8.hpp

  static Index least(Index a, Index b) { return a < b ? a : b; }

  /// Adds a[k * step + r * row] * b[k] to c[r], k in order.
  template <int R, int H, Index step, Index row>
  static TESSEREC_INLINE void accumulate(Index depth, const float* a, const float* b, Register (&c)[R][H]) {
#pragma GCC unroll 4
    for (Index k = 0; k < depth; ++k) {
      Register bk[H];
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) bk[h] = V::load(b + k * width + h * half);
#pragma GCC unroll 12
      for (int r = 0; r < R; ++r) {
        const Register ar = V::broadcast(a + k * step + r * row);
#pragma GCC unroll 2
        for (int h = 0; h < H; ++h) c[r][h] = V::fma(ar, bk[h], c[r][h]);
      }
    }
  }

  /// Returns the start values of the columns from `column` on: the bias, or +0.
  static TESSEREC_INLINE Register start(const Product& p, Index column) {
    return p.start != nullptr ? V::load(p.start + column) : V::zero();
  }

  /// Computes rows [row, row + R) of one panel of a product, over the depth [first, first + depth).
  template <int R, int H>
  static void product_tile(const Product& p, Index panel, Index first, Index depth, Index row) {
    const bool begins = first == 0, ends = first + depth == p.depth;
    const Index column = panel * width, at = (panel * p.rows + row) * width;
    float* out = p.c + at;
    Register c[R][H];
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) c[r][h] = !begins ? V::load(out + r * width + h * half) : start(p, column + h * half);
    const float* a = p.a + (first * p.a_rows + row * width);
    const float* b = p.b + (column * p.depth + first * width);
    Index k = 0;
    for (; k + width <= depth; k += width, a += p.a_rows * width, b += width * width)
      accumulate<R, H, 1, width>(width, a, b, c);
    if (k < depth) accumulate<R, H, 1, width>(depth - k, a, b, c);
    if constexpr (is_coded)
      if (ends) return finish_codes<R, H>(p, panel, row, c);
    if (ends) finish<R, H>(p, panel, row, c);
    store_rows<R, H>(out, c);
    if constexpr (V::rows_at_once == 2)
      if (ends && p.rounded.across != nullptr) round_tile<R, H>(p.rounded, p.rows, panel, row, c);
  }
  template <int R, int H>
  static TESSEREC_INLINE void store_rows(float* to, const Register (&c)[R][H]) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) V::store(to + r * width + h * half, c[r][h]);
  }

  /// Makes y of the finished sums of rows [row, row + R) of one panel.
  template <int R, int H>
  static TESSEREC_INLINE void finish(const Product& p, Index panel, Index row, Register (&c)[R][H]) {
    if (p.finish == Epilogue::relu)
#pragma GCC unroll 12
      for (int r = 0; r < R; ++r)
#pragma GCC unroll 2
        for (int h = 0; h < H; ++h) c[r][h] = V::positive(c[r][h]);
    if (p.finish == Epilogue::gradient)
      gradient_finish<R, H>(p.y == nullptr ? nullptr : p.y + (panel * p.rows + row) * width, p.sums + panel * width, c);
  }
  /// Makes and stores y of the sums of codes of rows [row, row + R) of one panel.
  template <int R, int H>
  static TESSEREC_INLINE void finish_codes(const Product& p, Index panel, Index row, Register (&c)[R][H]) {
    CodedFinish<V> finish(p, panel, row);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) finish.template row<H>(c[r]);
  }

  template <int R, int H>
  static TESSEREC_INLINE void round_tile(const Words& to, Index rows, Index panel, Index row,
                                         const Register (&c)[R][H]) {
    float* const across = to.across + ((panel / 2 * rows + row) * width + panel % 2 * half);
    float* const down = to.down + (panel * rows + row) / 2 * width;
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) V::store(across + r * width, V::across(c[r][0], H == 2 ? c[r][H - 1] : V::zero()));
#pragma GCC unroll 12
    for (int r = 0; r < R; r += 2)
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) V::store(down + r / 2 * width + h * half, V::down(c[r][h], c[r + 1][h]));
  }

  template <int R, int H>
  static TESSEREC_INLINE void gradient_finish(const float* y, float* sums, Register (&c)[R][H]) {
#pragma GCC unroll 2
    for (int h = 0; h < H; ++h) {
      Register sum = V::load(sums + h * half);
#pragma GCC unroll 12
      for (int r = 0; r < R; ++r) {
        if (y != nullptr) c[r][h] = V::where_positive(V::load(y + r * width + h * half), c[r][h]);
        sum = V::add(sum, c[r][h]);
      }
      V::store(sums + h * half, sum);
    }
  }

  /// Returns the number of tiles that cover `rows` rows. Tiles have nearly equal rows, since a thin tile is slow.
  static Index tiles_of(Index rows) { return (rows + V::rows - 1) / V::rows; }

  template <int R, int H>
  static TESSEREC_INLINE void product_rows(Index rows, const Product& p, Index panel, Index first, Index depth,
                                           Index row) {
    if constexpr (R > 0) {
      if (rows == R) return product_tile<R, H>(p, panel, first, depth, row);
      product_rows<R - V::rows_at_once, H>(rows, p, panel, first, depth, row);
    }
  }

  /// Computes one panel over the depth [first, first + depth) and may prefetch the next block of b.
  template <int H>
  static TESSEREC_INLINE void product_panel(const Product& p, Index panel, Index first, Index depth,
                                            const float* next_b) {
    const Index tiles = tiles_of(p.rows), share = depth * width / tiles + 1;
    for (Index t = 0, row = 0; t < tiles; ++t, next_b += share) {
      if (p.fetches_b)
        for (Index ahead = 0; ahead < share; ahead += line) __builtin_prefetch(next_b + ahead, 0, 2);
      const Index next = (t + 1) * (p.rows / V::rows_at_once) / tiles * V::rows_at_once;
      product_rows<V::rows, H>(next - row, p, panel, first, depth, row);
      row = next;
    }
  }

  /// Computes rows [out, out + R) of dw for the columns of one panel of x.
  template <int R, int H>
  static void weight_tile(const WeightGradient& p, Index out, Index in) {
    const Index columns = p.ins - in, last = least(half, columns - (H - 1) * half);  // columns of the last register
    float* dw = p.dw + out * p.ins + in;
    Register c[R][H];
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) {
        c[r][h] = V::zero();
        __builtin_prefetch(dw + r * p.ins + h * half, 1);
      }
      __builtin_prefetch(dw + r * p.ins + (H * half - 1), 1);
    }
    accumulate<R, H, width, 1>(p.rows, p.dy + (out / width * p.rows * width + out % width), p.x + in * p.rows, c);
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) {
        float* const to = dw + r * p.ins + h * half;
        const bool whole = h + 1 < H || last == half;
        if (p.add) c[r][h] = V::add(whole ? V::load(to) : V::load(to, last), c[r][h]);
        if (whole)
          V::store(to, c[r][h]);
        else
          V::store(to, c[r][h], last);
      }
    }
  }

  template <int R>
  static TESSEREC_INLINE void weight_rows(Index rows, const WeightGradient& p, Index out, Index in) {
    if constexpr (R > 0) {
      if (rows == R) return p.ins - in > half ? weight_tile<R, 2>(p, out, in) : weight_tile<R, 1>(p, out, in);
      weight_rows<R - 1>(rows, p, out, in);
    }
  }

  /// Computes a product of one column, with one row in each element of a register. Transposes a square of a at a time.
  static void product_column(const Product& p) {
    for (Index row = 0; row < p.rows; row += half) {
      const Index rows = least(half, p.rows - row);
      Register sum = p.start != nullptr ? V::broadcast(p.start) : V::zero();
      for (Index k = 0; k < p.depth; k += half) {
        const float* const a = p.a + ((k / width * p.a_rows + row) * width + k % width);
        Register square[half];
#pragma GCC unroll 16
        for (Index r = 0; r < half; ++r) square[r] = V::load(a + least(r, rows - 1) * width);
        V::transpose(square);
#pragma GCC unroll 16
        for (Index i = 0; i < half; ++i)
          if (k + i < p.depth) sum = V::fma(square[i], V::broadcast(p.b + (k + i) * width), sum);
      }
      if (p.finish == Epilogue::relu) sum = V::positive(sum);
      float column[half];
      V::store(column, sum);
      for (Index r = 0; r < rows; ++r) p.c[(row + r) * width] = column[r];
    }
  }

 public:
  static void product(const Product& p) {
    if (p.columns == 1 && p.finish != Epilogue::gradient && p.rounded.across == nullptr) return product_column(p);
    if constexpr (is_coded) CodedFinish<V>::start_ranges(p);
    const Index panel_size = p.depth * width;
    for (Index first = 0; first < p.depth; first += block) {
      const Index depth = least(block, p.depth - first);
      for (Index column = 0, panel = 0; column < p.columns; column += width, ++panel) {
        const bool last = column + width >= p.columns;
        const Index next = last ? (first + depth) * width : (panel + 1) * panel_size + first * width;
        if (p.columns - column > half)
          product_panel<2>(p, panel, first, depth, p.b + next);
        else
          product_panel<1>(p, panel, first, depth, p.b + next);
      }
    }
  }

  static void round(Index rows, Index panels, const float* from, const Words& to) {
    for (Index panel = 0; panel < panels; ++panel)
      for (Index row = 0; row < rows; row += 2, from += 2 * width) {
        const Register c[2][2] = {{V::load(from), V::load(from + half)},
                                  {V::load(from + width), V::load(from + width + half)}};
        round_tile<2, 2>(to, rows, panel, row, c);
      }
  }

  static void weight_gradient(const WeightGradient& p) {
    const Index x_panels = x_block / (p.rows * width), step = (x_panels > 0 ? x_panels : 1) * width;
    for (Index begin = 0; begin < p.ins; begin += step) {
      const Index end = least(p.ins, begin + step);
      for (Index panel = 0; panel < p.outs; panel += width) {  // a panel of dy stays in L1
        const Index outs = least(width, p.outs - panel), tiles = tiles_of(outs);
        for (Index in = begin; in < end; in += width)
          for (Index t = 0, out = 0; t < tiles; ++t) {
            const Index next = (t + 1) * outs / tiles;
            weight_rows<V::rows>(next - out, p, panel + out, in);
            out = next;
          }
      }
    }
  }
};

}  // namespace
}  // namespace tesserec::products
