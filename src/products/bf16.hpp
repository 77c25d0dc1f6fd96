// SPDX-License-Identifier: Apache-2.0
/// Products of bf16 values, with one definition for all instruction sets. A word w holds two values, w.even in its low
/// half and w.odd in its high half. One word advances a chain by
///   c = flush(fma(a.odd, b.odd, c));  c = flush(fma(a.even, b.even, c))
/// rounded to nearest, ties to even. flush() replaces a denormal value by a zero of its sign, in operands too. A result
/// is denormal if it is so after rounding to 24 bits with an unbounded exponent. This is VDPBF16PS in Intel's manual
/// (Software Developer's Manual, volume 2) and on Zen 4, which the tests compare. VFMADD under MXCSR.FTZ and .DAZ gives
/// the same bits. The payload of a NaN result is unspecified.
#pragma once

#include "tiles.hpp"
#include <tesserec/core/short_floats.hpp>

namespace tesserec::products {
namespace {  // internal linkage: one copy per instruction set

TESSEREC_INLINE float word_of(float even, float odd) {
  return __builtin_bit_cast(float, round_to_bf16(even) >> 16 | round_to_bf16(odd));
}

/// Packing of weights into panels of bf16 words, as kernels.hpp describes.
template <class V>
class Bf16Packing {
  static constexpr Index side = V::floats, width = Tiles<V>::width;

  /// Packs `side` rows of w by two registers of columns, transposed and, unless null, straight.
  static __attribute__((noinline)) void square(Index in, const float* w, float* transposed, float* straight) {
    typename V::Register words[side];
#pragma GCC unroll 8
    for (int r = 0; r < side; r += 2) {
      const auto top0 = V::load(w + r * in), top1 = V::load(w + r * in + side);
      const auto low0 = V::load(w + (r + 1) * in), low1 = V::load(w + (r + 1) * in + side);
      words[r] = V::across(top0, top1);
      words[r + 1] = V::across(low0, low1);
      if (straight == nullptr) continue;
      V::store(straight + r / 2 * width, V::down(top0, low0));
      V::store(straight + r / 2 * width + side, V::down(top1, low1));
    }
    V::transpose(words);
#pragma GCC unroll 16
    for (int r = 0; r < side; ++r) V::store(transposed + r * width, words[r]);
  }

  /// Packs a block with fewer rows or columns, padded with zeros.
  static void edge(Index rows, Index columns, Index in, const float* w, float* transposed, float* straight) {
    const auto at = [&](Index r, Index c) { return r < rows && c < columns ? w[r * in + c] : 0.0f; };
    for (Index c = 0; c < columns; c += 2)
      for (Index r = 0; r < side; ++r) transposed[c / 2 * width + r] = word_of(at(r, c), at(r, c + 1));
    for (Index r = 0; straight != nullptr && r < rows; r += 2)
      for (Index c = 0; c < width; ++c) straight[r / 2 * width + c] = word_of(at(r, c), at(r + 1, c));
  }

 public:
  static void pack_rows(Index out, Index in, Index p, const float* w, float* forward, float* backward) {
    const Index first = p * width, depth = (in + 1) / 2;
    for (Index i = 0; i < in; i += width)
      for (Index o = 0; o < width; o += side) {
        const Index rows = out - first - o, columns = in - i;
        const float* from = w + (first + o) * in + i;
        float* transposed = forward + (first * depth + i / 2 * width + o);
        float* straight =
            backward == nullptr || rows <= 0 ? nullptr : backward + (i * ((out + 1) / 2) + (first + o) / 2 * width);
        if (rows >= side && columns >= width) {
          square(in, from, transposed, straight);
        } else {
          const Index height = rows < side ? rows : side;
          edge(height, columns < width ? columns : width, in, from, transposed, straight);
        }
      }
  }
};

/// Products under V's MXCSR mode. run() calls `work` through a pointer, since GCC moves no call across the mode change.
template <class V>
class Bf16Products {
  template <class P>
  static __attribute__((noinline)) void run(void (*work)(const P&), const P& p) {
    const auto before = V::begin_flush();
    work(p);
    V::end_flush(before);
  }

 public:
  static void product(const Product& p) { run(Tiles<V>::product, p); }
  static void weight_gradient(const WeightGradient& p) { run(Tiles<V>::weight_gradient, p); }
};

}  // namespace
}  // namespace tesserec::products
