// SPDX-License-Identifier: Apache-2.0
/// Matrix products on panels. A panel holds `width` columns of a matrix [rows, columns], row after row. Element (r, c)
/// lies at (c / width * rows + r) * width + c % width, and the last panel is padded. Each KernelSet has its own width.
/// Files built for one instruction set include this header, so it must not include inline code.
#pragma once

#include <tesserec/products/dots.hpp>

namespace tesserec::products {

/// Operation on a finished product.
enum class Epilogue {
  store,
  relu,     ///< max(0, c), preserving NaN
  gradient  ///< c = 0 unless y > 0; adds the columns of c to `sums`, row after row
};

/// Matrix in bf16 words of 32 bits, each with two neighboring values, the first in the low half. `across` has the
/// neighbors in a row, [rows, columns / 2]; `down` has the neighbors in a column, [rows / 2, columns]. Both are in
/// panels of `width` words, and rows is even.
struct Words {
  float* across = nullptr;
  float* down = nullptr;
};

/// Operands that make numbers of a product's sums of codes (int8.hpp).
struct CodedSums {
  const float* rows = nullptr;    ///< [a_rows] scale and code of 0 of each row of a
  const float* scales = nullptr;  ///< scale of each column; each panel [width]
  const float* sums = nullptr;    ///< sum of each column's codes, as bits of an integer; each panel [width]
  const float* bias = nullptr;    ///< each panel [width]
  /// Ranges of each finished row of c for KernelSet::make_codes, [rows][2][width / 2]; null = none. The first half has
  /// the largest bits as signed integers, the second half as unsigned ones, of the columns that share an element of a
  /// register.
  float* ranges = nullptr;
};

/// Product c [rows, columns] = start + a b, each element one fma chain over the depth in order. In bf16, a and b hold
/// words, `depth` counts words, and a word is two steps of the chain (bf16.hpp). Padding of c may stay unwritten.
struct Product {
  Index rows = 0, depth = 0, columns = 0;
  const float* a = nullptr;  ///< panels of [a_rows, depth]; the first `rows` rows are read
  Index a_rows = 0;
  const float* b = nullptr;      ///< each panel [depth][width]
  const float* start = nullptr;  ///< each panel [width]; null = +0
  float* c = nullptr;            ///< each panel [rows][width]
  Epilogue finish = Epilogue::store;
  const float* y = nullptr;  ///< laid out as c; null = no mask
  float* sums = nullptr;     ///< each panel [width]
  Words rounded = {};        ///< output in bf16: c rounded; null = none
  CodedSums coded = {};      ///< int8 only
  bool fetches_b = true;     ///< b's next block is prefetched, as one needs that lies beyond the second cache
};

/// Product dw[o, i] = sum over rows of dy[., o] x[., i], one fma chain from +0. `add` adds the finished sum to dw. In
/// bf16, dy and x hold words of neighbors in a column, and `rows` counts rows of words.
struct WeightGradient {
  Index rows = 0, outs = 0, ins = 0;
  const float* dy = nullptr;  ///< panels of [rows, outs]
  const float* x = nullptr;   ///< panels of [rows, ins]
  bool add = false;
  float* dw = nullptr;  ///< [outs, ins], row-major
};

/// Rows whose codes are made, in panels or row-major: number (r, c) lies at
/// data[r * row_stride + c / width * panel_stride + c % width] for the panels' width.
struct UncodedRows {
  const float* data = nullptr;
  Index row_stride = 0, panel_stride = 0;
  bool is_padded = false;         ///< a last panel's padding may be read
  const float* ranges = nullptr;  ///< CodedSums::ranges if a product wrote the rows, else null
};

/// Memory for the codes of `rows` rows (int8.hpp): words in panels, and for each row its scale and, as bits of an
/// integer, its code of 0. A row with a number that is not finite gets a scale that makes all results NaN.
struct CodedRows {
  Index rows = 0;
  float *words = nullptr, *scales = nullptr;
};

/// Kernels of one precision.
struct PanelKernels {
  void (*product)(const Product&);
  void (*weight_gradient)(const WeightGradient&);
  /// Packs rows [p * width, (p + 1) * width) of w [out, in] into panel p of w^T ([in][width]) in `forward`. Unless
  /// null, `backward` receives the same rows in the panels of w ([out][width]). Padding is 0. Panels of bf16 words are
  /// [(in + 1) / 2][width] and [(out + 1) / 2][width].
  void (*pack_rows)(Index out, Index in, Index p, const float* w, float* forward, float* backward);
};

/// Kernels of one instruction set. All sets give the same bits; they differ in speed and panel width.
struct KernelSet {
  const char* name;
  Index width;
  PanelKernels fp32, bf16;
  /// Computes a product of int8 codes, and numbers of its sums (int8.hpp). start, y, sums and rounded are unused.
  void (*int8_product)(const Product&);
  /// Makes codes of rows [rows, columns] (int8.hpp).
  void (*make_codes)(Index columns, const UncodedRows& x, const CodedRows& to);
  /// Rounds fp32 panels [rows, panels * width] to bf16 words. rows is even.
  void (*round)(Index rows, Index panels, const float* from, const Words& to);
  DotKernels dots;
};

extern const KernelSet plain_kernels, avx2_kernels, avx512_kernels, avx512_vnni_kernels, avx512_bf16_kernels,
    avx512_amx_kernels, neon_kernels;

/// Returns the fastest kernel set of this machine, or the one that TESSEREC_INSTRUCTION_SET names. Throws Error if the
/// machine lacks the named set.
const KernelSet& kernels();

}  // namespace tesserec::products
