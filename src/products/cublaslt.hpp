// SPDX-License-Identifier: Apache-2.0
/// Matrix product by cuBLASLt with a pinned algorithm. The algorithm is chosen for a size that the model alone gives,
/// so it does not depend on a rank's number of rows. Matrices are column-major, as in BLAS.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include <cublasLt.h>

#include <tesserec/products/precision.hpp>

namespace tesserec::products {

template <class Pointer, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, std::integral_constant<decltype(destroy), destroy>>;

using LtHandle = Owned<cublasLtHandle_t, cublasLtDestroy>;
/// Creates a cuBLASLt handle. Throws Error if cuBLASLt refuses a call, as all functions of this file do. The message
/// has the call, cuBLASLt's reason and the product.
LtHandle make_lt_handle();

/// Product d [m, n] = op(a) [m, k] op(b) [k, n] plus an optional bias [m]. a and b are bf16 or fp32, bias and d fp32.
struct LtProduct {
  Precision precision = Precision::fp32;
  bool a_transposed = false, b_transposed = false, bias = false;
  std::int64_t m = 0, n = 0, k = 0;                 ///< the algorithm is chosen for this size; calls may change n or k
  std::int64_t a_step = 0, b_step = 0, d_step = 0;  ///< elements from one stored column to the next
  std::uint32_t a_alignment = 0, b_border = 0, d_border = 0;  ///< alignment of every column, bytes
  auto operator<=>(const LtProduct&) const = default;
};
/// Size of a call with `count` products. Strides are the distances of their matrices, in elements.
struct LtSize {
  std::int64_t n = 0, k = 0;
  std::int32_t count = 1;
  std::int64_t a_batch_stride = 0, b_batch_stride = 0, d_batch_stride = 0;
  bool operator==(const LtSize&) const = default;
};
/// Device memory that algorithms may use, aligned to 256 bytes.
struct LtWorkspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

class PinnedProduct {
 public:
  /// Pins the fastest algorithm, by cuBLASLt's heuristic, that splits no depth and also runs at size `least`.
  /// `workspace`: bytes that it may use. `handle` must outlive the product.
  PinnedProduct(cublasLtHandle_t handle, const LtProduct& product, const LtSize& least, std::size_t workspace);
  /// Queues the products of one call on `stream`. Does not block.
  void operator()(const LtSize& size, const void* a, const void* b, const float* bias, float* d, LtWorkspace workspace,
                  cudaStream_t stream);

 private:
  using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
  Layout layout(cudaDataType_t type, std::int64_t step) const;
  void resize(const LtSize& size);
  /// Pins `algorithm` if it splits no depth and runs at all `sizes`, and returns whether it does.
  bool takes(const cublasLtMatmulAlgo_t& algorithm, std::span<const LtSize> sizes);
  /// Returns success if the algorithm runs at the layouts' size within the workspace.
  cublasStatus_t check(const cublasLtMatmulAlgo_t& algorithm) const;
  void expect(cublasStatus_t code, const char* call, const LtSize& size) const;

  cublasLtHandle_t handle_;
  LtProduct product_;
  std::size_t workspace_;  // bytes
  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> descriptor_;
  Layout a_, b_, d_;
  LtSize checked_;  // size of the layouts, for which the algorithm passed its check
  cublasLtMatmulAlgo_t algorithm_ = {};
};

}  // namespace tesserec::products
