// SPDX-License-Identifier: Apache-2.0
/// Updates of weights in device memory, by rules.hpp and row_rules.hpp. The calls do not block.
#pragma once

#include <tesserec/core/device.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// Operands of an update. Each pointer is to the first weight's value, as in Columns.
struct DeviceMove {
  StepScalars scalars;
  float* w;
  const float* g;
  float *m, *v;
  float scale, bound;  ///< factor of the gradient, and the magnitude to which the product is clipped
};

/// Updates the weights in `range`, for elementwise types.
void move_on(const Device& device, const DeviceMove& move, Range range);
/// Updates one tensor by sums over it, as a row of a table, for types without numbers per row. `sums`: scratch.
void move_tensor_on(const Device& device, const DeviceMove& move, Range tensor, DeviceVector<float>& sums);

}  // namespace tesserec::optim
