// SPDX-License-Identifier: Apache-2.0
/// Matrix products on panels. A matrix [rows, columns] in panels holds `width` columns side by side, row after row:
/// element (r, c) lies at (c / width * rows + r) * width + c % width; the last panel is padded. The width is the
/// kernels'. Files built for one instruction set include this: nothing with inline code may be included here.
#pragma once

#include <cstdint>

namespace tesserec {
using Index = std::int64_t;
}

namespace tesserec::dense {

/// What becomes of a finished product.
enum class Finish {
  store,
  relu,     ///< max(0, c); not a number stays so
  gradient  ///< c = 0 where y <= 0; then its columns are added to sums, row after row
};

/// One panel of c [rows, width] = start + a b, each element one chain of fma over the depth in order.
struct ProductPanel {
  Index rows = 0, depth = 0;
  const float* a = nullptr;      ///< panels of [rows, depth]
  const float* b = nullptr;      ///< [depth][width]
  const float* start = nullptr;  ///< [width]; null = +0
  float* c = nullptr;            ///< [rows][width]
  Finish finish = Finish::store;
  const float* y = nullptr;  ///< [rows][width]; null = all count
  float* sums = nullptr;     ///< [width]
};

/// dw[o, i] = sum over rows of dy[., o] x[., i], one chain of fma from +0, for one panel of each; `add`: added to dw.
struct WeightPanels {
  Index rows = 0;
  const float* dy = nullptr;  ///< [rows][width], of which `outs` columns count
  const float* x = nullptr;   ///< [rows][width], of which `ins` columns count
  Index outs = 0, ins = 0;
  bool add = false;
  float* dw = nullptr;  ///< row-major
  Index stride = 0;     ///< floats between rows of dw
};

/// The dot interaction of `vectors` vectors of `dim` numbers, the bottom MLP's first; `itself`: with the diagonal.
struct DotShape {
  Index vectors = 0, dim = 0;
  bool itself = false;
};

/// The same bits from all; they differ in speed and in the width of a panel.
struct Kernels {
  const char* name;
  Index width;
  void (*product)(const ProductPanel&);
  void (*weight_gradient)(const WeightPanels&);
  /// As FeatureInteraction's, whose docstring has the shapes; the first gives the floats of scratch.
  Index (*dots_scratch)(const DotShape&);
  void (*dots_forward)(const DotShape&, Index rows, const float* bottom, const float* pooled, float* out,
                       float* scratch);
  void (*dots_backward)(const DotShape&, Index rows, const float* bottom, const float* pooled, const float* upstream,
                        float* bottom_gradient, float* pooled_gradient, float* scratch);
};

extern const Kernels plain_kernels, avx2_kernels, avx512_kernels;

/// The best that this machine and TESSEREC_INSTRUCTION_SET allow. Error: the variable names what the machine lacks.
const Kernels& kernels();

}  // namespace tesserec::dense
