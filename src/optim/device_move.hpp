// SPDX-License-Identifier: Apache-2.0
/// Steps of weights in device memory, by rules.hpp and row_rules.hpp. Calls queue their kernels and do not block.
#pragma once

#include <tesserec/core/device.hpp>
#include <tesserec/optim/optimizer.hpp>

namespace tesserec::optim {

/// The numbers of a step; every pointer is to the first weight's, as in Columns.
struct DeviceMove {
  StepScalars scalars;
  float* w;
  const float* g;
  float *m, *v;
  float scale, most;  ///< the gradient is multiplied, then cut to this magnitude
};

/// Each of the weights in `part`; elementwise types.
void move_on(const Device& device, const DeviceMove& move, Range part);
/// Moves one tensor by sums over it, as a row of a table; types without numbers of rows. `sums`: scratch.
void move_tensor_on(const Device& device, const DeviceMove& move, Range tensor, DeviceVector<float>& sums);

}  // namespace tesserec::optim
