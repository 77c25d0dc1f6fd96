// SPDX-License-Identifier: Apache-2.0
/// Steps of weights in device memory, by the formulas of rules.hpp and row_rules.hpp. Calls queue their kernels on
/// `device` and return.
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
/// One tensor by its length, whose sums are those of a row of a table; types that are not elementwise and have no
/// numbers of rows. `sums`: scratch, for any tensors one after the other.
void move_tensor_on(const Device& device, const DeviceMove& move, Range tensor, DeviceVector<float>& sums);

}  // namespace tesserec::optim
