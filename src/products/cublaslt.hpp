// SPDX-License-Identifier: Apache-2.0
/// One product of matrices by cuBLASLt whose algorithm is pinned: it is chosen for a size that the model alone gives,
/// so that no rank's number of rows has a say in it. As in BLAS a matrix lies column after column.
#pragma once

#include <compare>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>

#include <cublasLt.h>

#include <tesserec/products/precision.hpp>

namespace tesserec::products {

template <auto destroy>
struct Destroy {
  template <class T>
  void operator()(T* made) const {
    destroy(made);
  }
};
template <class Pointer, auto destroy>
using Owned = std::unique_ptr<std::remove_pointer_t<Pointer>, Destroy<destroy>>;

using LtHandle = Owned<cublasLtHandle_t, cublasLtDestroy>;
/// Throws Error, as everything here does where cuBLASLt refuses: the call, what it says, and the product.
LtHandle make_lt_handle();

/// Product d [m, n] = op(a) [m, k] op(b) [k, n] plus optional bias [m]. a and b are bf16 or floats, the rest floats.
struct LtProduct {
  Precision precision = Precision::fp32;
  bool a_transposed = false, b_transposed = false, bias = false;
  std::int64_t m = 0, n = 0, k = 0;  ///< a call may have another n or k: the algorithm is chosen for these
  std::int64_t a_step = 0, b_step = 0, d_step = 0;         ///< numbers from a column to the next, as they lie
  std::uint32_t a_border = 0, b_border = 0, d_border = 0;  ///< bytes: what every column's address is a multiple of
  auto operator<=>(const LtProduct&) const = default;
};
/// Size of a call: `count` such products, their matrices so many numbers apart.
struct LtSize {
  std::int64_t n = 0, k = 0;
  std::int32_t count = 1;
  std::int64_t a_apart = 0, b_apart = 0, d_apart = 0;
  bool operator==(const LtSize&) const = default;
};
/// Memory of the device that algorithms may use, on a border of 256 bytes.
struct LtWorkspace {
  void* data = nullptr;
  std::size_t bytes = 0;
};

class PinnedProduct {
 public:
  /// `handle` outlives it. Takes the fastest algorithm, by cuBLASLt, that splits no depth and also takes `least`.
  PinnedProduct(cublasLtHandle_t handle, const LtProduct& product, const LtSize& least, std::size_t workspace);
  /// Queued on `stream`.
  void operator()(const LtSize& size, const void* a, const void* b, const float* bias, float* d, LtWorkspace workspace,
                  cudaStream_t stream);

 private:
  using Layout = Owned<cublasLtMatrixLayout_t, cublasLtMatrixLayoutDestroy>;
  Layout layout(cudaDataType_t type, std::int64_t step) const;
  void resize(const LtSize& size);
  /// Pins an algorithm that splits no depth and runs at all `sizes`; returns whether it does.
  bool takes(const cublasLtMatmulAlgo_t& algorithm, std::span<const LtSize> sizes);
  /// Success: it may run at the size that the layouts have.
  cublasStatus_t check(const cublasLtMatmulAlgo_t& algorithm) const;
  void expect(cublasStatus_t code, const char* call, const LtSize& size) const;

  cublasLtHandle_t handle_;
  LtProduct product_;
  std::size_t workspace_;  // bytes
  Owned<cublasLtMatmulDesc_t, cublasLtMatmulDescDestroy> descriptor_;
  Layout a_, b_, d_;
  LtSize checked_;  // the layouts', and the algorithm runs at it
  cublasLtMatmulAlgo_t algorithm_ = {};
};

}  // namespace tesserec::products
