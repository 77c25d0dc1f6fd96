// SPDX-License-Identifier: Apache-2.0
/// The bias's gradient beside a weight's, whoever computes that.
#pragma once

#include "device_sums.hpp"
#include <tesserec/dense/device_products.hpp>

namespace tesserec::dense {

/// The column sums of dy of each lane, piece by piece, where there is a bias.
void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums);

}  // namespace tesserec::dense
