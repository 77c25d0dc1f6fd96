// SPDX-License-Identifier: Apache-2.0
/// Matrix products on panels. A matrix [rows, columns] in panels holds `width` columns side by side, row after row:
/// element (r, c) lies at (c / width * rows + r) * width + c % width; the last panel is padded. The width is the
/// kernels'. Files built for one instruction set include this: nothing with inline code may be included here.
#pragma once

#include <tesserec/products/dots.hpp>

namespace tesserec::products {

/// Treatment of a finished product.
enum class Finish {
  store,
  relu,     ///< max(0, c); not a number stays so
  gradient  ///< c = 0 where y <= 0; then its columns are added to sums, row after row
};

/// A matrix in bf16, two numbers a word of 32 bits, the first in the low half: [rows, columns / 2] words of neighbours
/// in a row, and [rows / 2, columns] of neighbours in a column; both in panels of `width` words, rows even.
struct Words {
  float* across = nullptr;
  float* down = nullptr;
};

/// c [rows, columns] = start + a b, each element one chain of fma over the depth in order. With bf16, a and b hold
/// words, whose number is the depth, and a word is two steps of the chain (bf16.hpp). What pads c may be left alone.
struct Product {
  Index rows = 0, depth = 0, columns = 0;
  const float* a = nullptr;  ///< panels of [a_rows, depth], of which the first `rows` rows count
  Index a_rows = 0;
  const float* b = nullptr;      ///< a panel: [depth][width]
  const float* start = nullptr;  ///< a panel: [width]; null = +0
  float* c = nullptr;            ///< a panel: [rows][width]
  Finish finish = Finish::store;
  const float* y = nullptr;  ///< as c; null = all count
  float* sums = nullptr;     ///< a panel: [width]
  Words rounded = {};        ///< bf16: c rounded; null = not wanted
};

/// dw[o, i] = sum over rows of dy[., o] x[., i], one chain of fma from +0; `add`: the finished sum is added to dw. With
/// bf16, dy and x hold words of neighbours in a column, whose rows count.
struct WeightGradient {
  Index rows = 0, outs = 0, ins = 0;
  const float* dy = nullptr;  ///< panels of [rows, outs]
  const float* x = nullptr;   ///< panels of [rows, ins]
  bool add = false;
  float* dw = nullptr;  ///< [outs, ins], row-major
};

/// Products of numbers of one precision.
struct PanelKernels {
  void (*product)(const Product&);
  void (*weight_gradient)(const WeightGradient&);
  /// Packs rows [p * width, (p + 1) * width) of w [out, in] into panel p of w^T ([in][width]) and, unless null, their
  /// place in w's panels ([out][width]), padded with 0. bf16 words: [(in + 1) / 2][width], [(out + 1) / 2][width].
  void (*pack_rows)(Index out, Index in, Index p, const float* w, float* forward, float* backward);
};

/// The same bits from all; they differ in speed and in the width of a panel.
struct KernelSet {
  const char* name;
  Index width;
  PanelKernels fp32, bf16;
  /// Panels of fp32 [rows, panels * width], rows even.
  void (*round)(Index rows, Index panels, const float* from, const Words& to);
  /// As the functions of dots.hpp.
  Index (*dots_scratch)(const DotShape&);
  void (*dots_forward)(const DotShape&, Index rows, DotVectors<const float> of, float* out, float* scratch);
  void (*dots_backward)(const DotShape&, Index rows, DotVectors<const float> of, const float* upstream,
                        DotVectors<float> gradients, float* scratch);
};

extern const KernelSet plain_kernels, avx2_kernels, avx512_kernels, avx512_bf16_kernels, neon_kernels;

/// The best that this machine and TESSEREC_INSTRUCTION_SET allow. Error: the variable names what the machine lacks.
const KernelSet& kernels();

}  // namespace tesserec::products
