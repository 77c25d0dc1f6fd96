// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <tesserec/core/chunk_sums.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {

/// Writes the gradient of the bias, unless `product.bias` is null: each lane's column sums of dy, added piece by piece.
/// Does not block.
void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums);

}  // namespace tesserec::products
