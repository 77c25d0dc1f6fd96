// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/chunk_sums.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {

/// Writes the bias's gradient beside a weight's: the column sums of dy of each lane, piece by piece, where there is a
/// bias.
void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums);

}  // namespace tesserec::products
