// SPDX-License-Identifier: Apache-2.0
#include "kernels.hpp"

namespace tesserec::products {

Index dots_scratch(const DotShape& shape) { return kernels().dots_scratch(shape); }
void dots_forward(const DotShape& shape, Index rows, DotVectors<const float> inputs, float* out, float* scratch) {
  kernels().dots_forward(shape, rows, inputs, out, scratch);
}
void dots_backward(const DotShape& shape, Index rows, DotVectors<const float> inputs, const float* upstream,
                   DotVectors<float> gradients, float* scratch) {
  kernels().dots_backward(shape, rows, inputs, upstream, gradients, scratch);
}

}  // namespace tesserec::products
