// SPDX-License-Identifier: Apache-2.0
#include "bias_gradient.hpp"

namespace tesserec::dense {

void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums) {
  if (product.bias == nullptr) return;
  const Rows<const float> dy = product.dy;
  sums.begin(device, product.pieces, dy.width);
  sums.add(
      device, "tesserec::dense::bias_gradient", 0, dy.width,
      KOKKOS_LAMBDA(Index row, Index c, float sum) { return sum + dy[row][c]; });
  sums.finish(device, 0, dy.width, {product.bias, product.stride}, ChunkSums::Lane::stored);
}

}  // namespace tesserec::dense
