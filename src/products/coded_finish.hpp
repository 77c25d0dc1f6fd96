// SPDX-License-Identifier: Apache-2.0
/// Numbers that are made of a tile's sums of codes (int8.hpp), and the ranges of these numbers.
#pragma once

#include <cstdint>

#include "kernels.hpp"

#define TESSEREC_INLINE inline __attribute__((always_inline))

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

/// Finishes the rows of one panel, one after the other. V has the arithmetic of int8.hpp.
template <class V>
class CodedFinish {
  using Register = typename V::Register;
  static constexpr Index half = V::floats, width = 2 * half;

 public:
  CodedFinish(const Product& p, Index panel, Index row)
      : scales_(p.coded.scales + panel * width),
        sums_(p.coded.sums + panel * width),
        bias_(p.coded.bias + panel * width),
        rows_(p.coded.rows + 2 * row),
        ranges_(p.coded.ranges == nullptr ? nullptr : p.coded.ranges + row * width),
        to_(p.c + (panel * p.rows + row) * width),
        relu_(p.finish == Epilogue::relu) {}

  /// Makes y of the next row's sums in the first H registers of the panel, and raises the row's range if the product
  /// keeps ranges. Operands of columns are read again for each row, since the sums of a tile take nearly all registers.
  template <int H>
  TESSEREC_INLINE void row(Register (&c)[H]) {
    asm volatile("" : "+r"(scales_), "+r"(sums_), "+r"(bias_));  // other addresses, as far as the compiler knows
    const float *const scale = rows_, *const zero = rows_ + 1;
    if (__builtin_bit_cast(std::int32_t, *zero) != 0)
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) c[h] = V::shifted(c[h], V::broadcast(zero), V::load(sums_ + h * half));
#pragma GCC unroll 2
    for (int h = 0; h < H; ++h) {
      const Register by = V::multiply(V::broadcast(scale), V::load(scales_ + h * half));
      c[h] = V::Numbers::fma(V::number(c[h]), by, V::load(bias_ + h * half));
    }
    if (relu_) [[likely]]
#pragma GCC unroll 2
      for (int h = 0; h < H; ++h) c[h] = V::positive(c[h]);
    if (ranges_ != nullptr) [[likely]] {
      const Register high = V::higher(c[0], c[H - 1]), low = V::lower(c[0], c[H - 1]);
      V::store(ranges_, V::higher(V::load(ranges_), high));
      V::store(ranges_ + half, V::lower(V::load(ranges_ + half), low));
      ranges_ += width;
    }
#pragma GCC unroll 2
    for (int h = 0; h < H; ++h) V::store(to_ + h * half, c[h]);
    rows_ += 2;
    to_ += width;
  }

  /// Sets the ranges of all rows to those of 0, if the product keeps ranges.
  static void start_ranges(const Product& p) {
    if (p.coded.ranges == nullptr) return;
    for (Index i = 0; i < p.rows * width; i += half) V::store(p.coded.ranges + i, V::zero());
  }

 private:
  const float *scales_, *sums_, *bias_;  // of the panel's columns
  const float* rows_;                    // scale and code of 0 of the next row
  float *ranges_, *to_;                  // of the next row
  bool relu_;
};

}  // namespace
}  // namespace tesserec::products
