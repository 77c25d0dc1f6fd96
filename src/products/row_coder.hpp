// SPDX-License-Identifier: Apache-2.0
/// Codes of rows of numbers, by the rule of int8.hpp, in the registers of an instruction set.
#pragma once

#include <cstdint>

#include "tiles.hpp"

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

/// V has the arithmetic of int8.hpp, and may have store_codes() for a panel or two of a row.
template <class V>
class RowCoder {
  using Register = typename V::Register;
  static constexpr Index floats = V::floats, width = Tiles<V>::width;
  static constexpr Index word_codes = 4;
  static constexpr float most_code = 255.0f;
  static constexpr float to_integer = 0x1.8p23f;  // added, it rounds a number below 2^22 to an integer, ties to even
  static constexpr float most_number = __FLT_MAX__, least_normal = __FLT_MIN__;

  static TESSEREC_INLINE std::uint32_t bits(float v) { return __builtin_bit_cast(std::uint32_t, v); }

  /// Ranges, inverses of scales and codes of 0 of as many rows as a register has numbers, so that the rows stay in L1
  /// between passes. A range is the largest and least number of a row and 0 as bits: the bits of positive numbers are
  /// in order as integers, those of negative ones, by magnitude, as integers without a sign. Infinities and NaN are
  /// beyond all numbers. A row with one has NaN as its scale, whatever its codes, which depend on the processor's
  /// conversion.
  struct RowScales {
    float high[floats], low[floats], inverses[floats], zeros[floats];
  };

  /// Computes element r of a register as what `larger` finds among all elements of square[r].
  template <class Larger>
  static TESSEREC_INLINE Register across(Register (&square)[floats], const Larger& larger) {
    V::transpose(square);
#pragma GCC unroll 4
    for (Index n = floats / 2; n > 0; n /= 2)
#pragma GCC unroll 8
      for (Index r = 0; r < n; ++r) square[r] = larger(square[r], square[r + n]);
    return square[0];
  }

  /// Finds the largest bits of the elements of a row and of `high` and `low`.
  static TESSEREC_INLINE void find_largest(Index columns, const float* row, Index panel_stride, Register& high,
                                           Register& low) {
    for (Index c = 0; c < columns; c += width, row += panel_stride)
      for (Index h = 0; h < width && c + h < columns; h += floats) {
        const Index n = columns - c - h;
        const Register numbers = n < floats ? V::load(row + h, n) : V::load(row + h);
        high = V::higher(numbers, high);
        low = V::lower(numbers, low);
      }
  }
  /// Finds the ranges of some rows from `first` on.
  static TESSEREC_INLINE void find_ranges(Index first, Index rows, Index columns, const UncodedRows& x, RowScales& of) {
    Register high[floats], low[floats];
    for (Index r = 0; r < floats; ++r) {
      const Index row = first + r;
      high[r] = low[r] = V::zero();
      if (r >= rows) continue;
      if (x.ranges != nullptr) {
        high[r] = V::load(x.ranges + row * width);
        low[r] = V::load(x.ranges + row * width + floats);
      } else {
        find_largest(columns, x.data + row * x.row_stride, x.panel_stride, high[r], low[r]);
      }
    }
    V::store(of.high, across(high, [](Register a, Register b) { return V::higher(a, b); }));
    V::store(of.low, across(low, [](Register a, Register b) { return V::lower(a, b); }));
  }

  /// Finds scales and codes of 0 from the ranges.
  static TESSEREC_INLINE void make_scales(RowScales& of, float (&scales)[floats]) {
    constexpr std::uint32_t sign_bit = 0x80000000u;
    for (Index r = 0; r < floats; ++r) {
      const float least = bits(of.low[r]) > sign_bit ? of.low[r] : 0.0f;
      const float exact = of.high[r] / most_code - least / most_code;
      const float scale = exact < least_normal ? 0.0f : exact;  // 0 instead of one whose inverse is not finite
      const float inverse = 1.0f / (scale > 0.0f ? scale : 1.0f);
      of.inverses[r] = scale > 0.0f ? inverse : 0.0f;
      const std::uint32_t zero = bits(-least * of.inverses[r] + to_integer) - bits(to_integer);
      of.zeros[r] = __builtin_bit_cast(float, zero);
      scales[r] = __builtin_fabsf(scale) <= most_number ? scale : __builtin_nanf("");
    }
  }

  /// Makes the codes of a panel of a row.
  static TESSEREC_INLINE void code_panel(const float* x, float inverse, float zero, std::uint8_t* to) {
    if constexpr (requires { V::store_codes(x, inverse, zero, to); }) return V::store_codes(x, inverse, zero, to);
    for (Index c = 0; c < width; ++c) {
      const auto code = std::int32_t(bits(x[c] * inverse + to_integer) - bits(to_integer) + bits(zero));
      const std::int32_t positive = code < 0 ? 0 : code;
      to[c] = std::uint8_t(positive > 255 ? 255 : positive);
    }
  }
  /// Makes the codes of two panels of a row, at x and at `next`.
  static TESSEREC_INLINE void code_panels(const float* x, const float* next, float inverse, float zero,
                                          std::uint8_t* to) {
    if constexpr (requires { V::store_codes(x, next, inverse, zero, to); }) {
      V::store_codes(x, next, inverse, zero, to);
    } else {
      code_panel(x, inverse, zero, to);
      code_panel(next, inverse, zero, to + width);
    }
  }

 public:
  static void make(Index columns, const UncodedRows& x, const CodedRows& to) {
    constexpr Index stride = width * word_codes;  // bytes of a row of words
    auto* const bytes = reinterpret_cast<std::uint8_t*>(to.words);
    for (Index begin = 0; begin < to.rows; begin += floats) {
      const Index count = to.rows - begin < floats ? to.rows - begin : floats;
      const float* const from = x.data + begin * x.row_stride;
      RowScales of;
      float scale[floats];
      find_ranges(begin, count, columns, x, of);
      make_scales(of, scale);
      for (Index r = 0; r < count; ++r) {
        to.scales[2 * (begin + r)] = scale[r];
        to.scales[2 * (begin + r) + 1] = of.zeros[r];
      }
      for (Index first = 0, panel = 0; first < columns; first += 2 * width, panel += 2) {
        std::uint8_t* code = bytes + (panel / word_codes * to.rows + begin) * stride + panel % word_codes * width;
        const float* numbers = from + panel * x.panel_stride;
        const Index left = columns - first, next = left > width ? x.panel_stride : 0;
        const bool is_whole = left >= 2 * width || x.is_padded;
        for (Index r = 0; r < count; ++r, numbers += x.row_stride, code += stride) {
          if (is_whole) {
            code_panels(numbers, numbers + next, of.inverses[r], of.zeros[r], code);
            continue;
          }
          float last[2 * width] = {};
          for (Index c = 0; c < left; ++c) last[c] = numbers[c < width ? c : x.panel_stride + c - width];
          code_panels(last, last + width, of.inverses[r], of.zeros[r], code);
        }
      }
    }
  }
};

}  // namespace
}  // namespace tesserec::products
