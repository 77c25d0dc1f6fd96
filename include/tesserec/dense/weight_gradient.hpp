// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/matrix_library.hpp>

namespace tesserec::dense {

/// Floats of scratch that weight_gradient needs; 64-byte aligned.
Index weight_gradient_scratch(const LayerShape& shape);

/// dw [out, in] = dy^T x for dy [rows, out] and x [rows, in]; with `add` the finished product is added to dw.
/// Own kernel: an element is one chain of fma over the rows in order from +0, so its bits are the same on
/// every machine; and the library's product, with K = 128, is not finished before it is added (and 1.5 times
/// slower).
void weight_gradient(const LayerShape& shape, bool add, const float* dy, const float* x, float* dw,
                     float* scratch);

}  // namespace tesserec::dense
