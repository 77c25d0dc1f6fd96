// SPDX-License-Identifier: Apache-2.0
/// Products of a dot interaction on a host, in kernels for this machine's instruction set. Files that are compiled for
/// one instruction set include this header, so it has no inline code.
#pragma once

#include <cstdint>

namespace tesserec {
using Index = std::int64_t;
}

namespace tesserec::products {

/// Shape of a dot interaction of `vectors` vectors of `dim` numbers, whose first vector lies apart from the others.
/// `itself` includes the diagonal.
struct DotShape {
  Index vectors = 0, dim = 0;
  bool itself = false;
};

/// Vectors of all rows: the first vectors [rows, dim] and the others [rows, vectors - 1, dim].
template <class Number>
struct DotVectors {
  Number *first, *others;
};

/// Returns the floats of scratch that dots_forward() and dots_backward() need.
Index dots_scratch(const DotShape& shape);
/// Writes each row's first vector, then its products [z1.z0, z2.z0, z2.z1, ...], into `out` [rows, dim + pairs].
void dots_forward(const DotShape& shape, Index rows, DotVectors<const float> inputs, float* out, float* scratch);
/// Writes the gradients of all vectors from `upstream`, the gradient of dots_forward()'s `out`.
void dots_backward(const DotShape& shape, Index rows, DotVectors<const float> inputs, const float* upstream,
                   DotVectors<float> gradients, float* scratch);

}  // namespace tesserec::products
