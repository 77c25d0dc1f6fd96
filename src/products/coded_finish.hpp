// SPDX-License-Identifier: Apache-2.0
/// Numbers that are made of a tile's sums of codes (int8.hpp), and the ranges of these numbers.
#pragma once

#include "kernels.hpp"

#define TESSEREC_INLINE inline __attribute__((always_inline))

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

/// V has the arithmetic of int8.hpp. A tile has R rows and H registers of columns.
template <class V>
class CodedFinish {
  using Register = typename V::Register;
  static constexpr Index half = V::floats, width = 2 * half;

 public:
  /// Makes y of the sums of codes in rows [row, row + R) and the columns from `column` on.
  template <int R, int H, bool shifted>
  static TESSEREC_INLINE void make_numbers(const CodedSums& of, Index column, Index row, Register (&c)[R][H]) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r) {
      const Register scale = V::broadcast(of.rows + 2 * (row + r)), zero = V::broadcast(of.rows + 2 * (row + r) + 1);
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) {
        const Index at = column + h * half;
        const Register sum = shifted ? V::number(c[r][h], zero, V::load(of.sums + at)) : V::number(c[r][h]);
        c[r][h] = V::Numbers::fma(sum, V::multiply(scale, V::load(of.scales + at)), V::load(of.bias + at));
      }
    }
  }

  /// Adds the numbers of R rows to their ranges, or begins these.
  template <int R, int H>
  static TESSEREC_INLINE void raise_ranges(float* to, bool begins, const Register (&c)[R][H]) {
#pragma GCC unroll 12
    for (int r = 0; r < R; ++r, to += width) {
      Register high = V::higher(c[r][0], c[r][H - 1]), low = V::lower(c[r][0], c[r][H - 1]);
      if (!begins) {
        high = V::higher(V::load(to), high);
        low = V::lower(V::load(to + half), low);
      }
      V::store(to, high);
      V::store(to + half, low);
    }
  }
};

}  // namespace
}  // namespace tesserec::products
