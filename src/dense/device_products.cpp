// SPDX-License-Identifier: Apache-2.0
#include "device_sums.hpp"
#include <tesserec/core/placed.hpp>
#include <tesserec/dense/device_products.hpp>

namespace tesserec::dense {

std::unique_ptr<DeviceProducts> device_products([[maybe_unused]] Kernels kernels,
                                                [[maybe_unused]] Precision precision) {
  if constexpr (has_cublaslt)
    if (chosen(kernels) == Kernels::cublaslt) return cublaslt_products(precision);
  return portable_products();
}

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
