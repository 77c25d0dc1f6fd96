// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/placed.hpp>
#include <tesserec/core/short_floats.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {

std::unique_ptr<DeviceProducts> device_products([[maybe_unused]] Kernels kernels,
                                                [[maybe_unused]] Precision precision) {
  if constexpr (has_cublaslt)
    if (chosen(kernels) == Kernels::cublaslt) return cublaslt_products(precision);
  return portable_products();
}

void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums) {
  if (product.bias == nullptr) return;
  const Where where(device);
  const Rows<const float> dy = product.dy;
  sums.begin(where, product.pieces, dy.width);
  sums.add(
      where, "tesserec::products::bias_gradient", 0, dy.width,
      KOKKOS_LAMBDA(Index row, Index c, float sum) { return sum + dy[row][c]; });
  sums.finish(where, 0, dy.width, {product.bias, product.stride}, ChunkSums::Lane::stored);
}

void relu_on(const Device& device, Index rows, Rows<float> y) {
  over_elements(
      Where(device), "tesserec::products::relu", rows, y.width, KOKKOS_LAMBDA(Index r, Index c) {
        if (y[r][c] < 0.0f) y[r][c] = 0.0f;
      });
}
void mask_on(const Device& device, Index rows, Rows<const float> y, Rows<const float> from, Rows<float> to) {
  over_elements(
      Where(device), "tesserec::products::mask", rows, to.width,
      KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = y[r][c] > 0.0f ? from[r][c] : 0.0f; });
}
void round_on(const Device& device, Index rows, Rows<const float> from, Rows<std::uint16_t> to) {
  over_elements(
      Where(device), "tesserec::products::round", rows, from.width,
      KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = std::uint16_t(round_to_bf16(from[r][c]) >> 16); });
}

}  // namespace tesserec::products
