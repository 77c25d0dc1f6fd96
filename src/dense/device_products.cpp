// SPDX-License-Identifier: Apache-2.0
#include <tesserec/core/placed.hpp>
#include <tesserec/dense/device_products.hpp>

namespace tesserec::dense {

std::unique_ptr<DeviceProducts> device_products([[maybe_unused]] Kernels kernels,
                                                [[maybe_unused]] Precision precision) {
  if constexpr (has_cublaslt)
    if (chosen(kernels) == Kernels::cublaslt) return cublaslt_products(precision);
  return portable_products();
}

}  // namespace tesserec::dense
