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

/// Dot interaction in the kernels of one instruction set.
struct DotKernels {
  /// Returns the floats of scratch that the other two need.
  Index (*scratch)(const DotShape& shape);
  /// Writes each row's first vector, then its products [z1.z0, z2.z0, z2.z1, ...], into `out` [rows, dim + pairs].
  void (*forward)(const DotShape& shape, Index rows, DotVectors<const float> inputs, float* out, float* scratch);
  /// Writes the gradients of all vectors from `upstream`, the gradient of forward()'s `out`.
  void (*backward)(const DotShape& shape, Index rows, DotVectors<const float> inputs, const float* upstream,
                   DotVectors<float> gradients, float* scratch);
};
/// Returns the kernels of this machine's instruction set.
const DotKernels& dot_kernels();

}  // namespace tesserec::products
