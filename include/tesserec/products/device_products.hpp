// SPDX-License-Identifier: Apache-2.0
/// The three matrix products of a linear layer over a rank's whole batch, in device memory.
#pragma once

#include <cstdint>
#include <memory>

#include <tesserec/core/chunk_sums.hpp>
#include <tesserec/core/kernels.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::products {

/// Matrix products of linear layers on a device, with weights [out, in] row-major. Calls queue their kernels on
/// `device` and do not block.
class DeviceProducts {
 public:
  virtual ~DeviceProducts() = default;

  /// Operands of a layer and a batch that several of its products read, converted to their precision.
  struct Rounded {
    DeviceVector<std::uint16_t> x, weight;  ///< bf16, rows aligned to 16 bytes
  };

  /// Product y = x weight^T + bias. `relu` applies max(0, y), which preserves NaN.
  struct Forward {
    Index rows = 0;
    Rows<const float> x = {};  ///< [rows, in]
    const float* weight = nullptr;
    const float* bias = nullptr;  ///< [out]; null = 0
    bool relu = false;
    Rows<float> y = {};          ///< [rows, out]
    Rounded* rounded = nullptr;  ///< cache for the layer's other products of this batch; null = no cache
  };
  /// Queues the forward product.
  virtual void forward(const Device& device, const Forward& product) = 0;

  /// Product dx = dy weight, set to 0 where `mask` <= 0 or is NaN.
  struct InputGradient {
    Index rows = 0;
    Rows<const float> dy = {};  ///< [rows, out]
    const float* weight = nullptr;
    Rows<const float> mask = {};  ///< [rows, in]; null = no mask
    Rows<float> dx = {};          ///< [rows, in]
    /// Operands that forward() cached. Valid only right after weight_gradient() with the same dy; else null.
    const Rounded* rounded = nullptr;
  };
  /// Queues the input's gradient.
  virtual void input_gradient(const Device& device, const InputGradient& product) = 0;

  /// Product dy^T x of each lane, and the column sums of dy.
  struct WeightGradient {
    Pieces pieces = {};                ///< pieces of the rows, with their lanes
    Rows<const float> dy = {};         ///< [rows, out]
    Rows<const float> x = {};          ///< [rows, in]
    float* weight = nullptr;           ///< [out, in] of the first lane
    float* bias = nullptr;             ///< [out] of the first lane; null = no bias
    Index stride = 0;                  ///< floats from one lane to the next
    const Rounded* rounded = nullptr;  ///< operands that forward() cached for this x; null = none
  };
  /// Queues the gradients of weight and bias.
  virtual void weight_gradient(const Device& device, const WeightGradient& product) = 0;
};

/// Makes products from Tesserec's own kernels, whose bits equal those of the host's products in fp32. Every element is
/// one fma chain over the depth in order. A weight's gradient has one chain per piece, and the pieces' results are
/// added in order.
std::unique_ptr<DeviceProducts> portable_products();

/// Makes products from cuBLASLt, in a build over a Kokkos with CUDA (src/products/README.md). They multiply fp32, tf32
/// or bf16 numbers, always fp32 for a layer of one neuron, and accumulate in fp32. The products throw Error if cuBLASLt
/// refuses a call.
std::unique_ptr<DeviceProducts> cublaslt_products(Precision precision);

/// Computes y = max(0, y) in place on `device`, preserving NaN. Does not block.
void relu_on(const Device& device, Index rows, Rows<float> y);
/// Copies `from` to `to` on `device`, with 0 where y <= 0 or y is NaN. Does not block.
void mask_on(const Device& device, Index rows, Rows<const float> y, Rows<const float> from, Rows<float> to);
/// Rounds `from` to bf16 (its 16 bits) into `to` on `device`. Does not block.
void round_on(const Device& device, Index rows, Rows<const float> from, Rows<std::uint16_t> to);
/// Writes the gradient of the bias, unless `product.bias` is null: each lane's column sums of dy, added piece by piece.
/// Does not block.
void bias_gradient(const Device& device, const DeviceProducts::WeightGradient& product, ChunkSums& sums);

/// Makes the products of `kernels`, which must be kernels of a device.
std::unique_ptr<DeviceProducts> device_products(Kernels kernels, Precision precision);

}  // namespace tesserec::products
