// SPDX-License-Identifier: Apache-2.0
/// The three products of a linear layer over a rank's whole batch, in device memory.
#pragma once

#include <cstdint>
#include <memory>

#include <tesserec/core/kernels.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/products/precision.hpp>

namespace tesserec::products {

/// A weight is [out, in], row-major. Calls queue their kernels on `device` and return.
class DeviceProducts {
 public:
  virtual ~DeviceProducts() = default;

  /// Operands of a layer and a batch that its products read more than once, as their precision wants them.
  struct Rounded {
    DeviceVector<std::uint16_t> x, weight;  ///< bf16, rows on borders of 16 bytes
  };

  /// y = x weight^T + bias; `relu`: max(0, y), where not a number stays so.
  struct Forward {
    Index rows = 0;
    Rows<const float> x = {};  ///< [rows, in]
    const float* weight = nullptr;
    const float* bias = nullptr;  ///< [out]; null = 0
    bool relu = false;
    Rows<float> y = {};          ///< [rows, out]
    Rounded* rounded = nullptr;  ///< kept for the layer's other products of this batch; null = not
  };
  virtual void forward(const Device& device, const Forward& product) = 0;

  /// dx = dy weight, 0 where `mask` <= 0.
  struct InputGradient {
    Index rows = 0;
    Rows<const float> dy = {};  ///< [rows, out]
    const float* weight = nullptr;
    Rows<const float> mask = {};  ///< as dx; null = all count
    Rows<float> dx = {};          ///< [rows, in]
    /// Operands that forward() kept. Valid only right after weight_gradient() with the same dy; else null.
    const Rounded* rounded = nullptr;
  };
  virtual void input_gradient(const Device& device, const InputGradient& product) = 0;

  /// Product dy^T x of each lane, and the column sums of dy.
  struct WeightGradient {
    Pieces pieces = {};                ///< of the rows
    Rows<const float> dy = {};         ///< [rows, out]
    Rows<const float> x = {};          ///< [rows, in]
    float* weight = nullptr;           ///< the first lane's
    float* bias = nullptr;             ///< the first lane's; null = there is none
    Index stride = 0;                  ///< from a lane to the next, floats
    const Rounded* rounded = nullptr;  ///< what `forward` kept of this x; null = nothing
  };
  virtual void weight_gradient(const Device& device, const WeightGradient& product) = 0;
};

/// Makes products by kernels of our own, whose bits are those of the host's products in fp32: every element one chain
/// of fma over the depth in order; of a weight's gradient one a piece, finished, then added, pieces in order.
std::unique_ptr<DeviceProducts> portable_products();

/// Makes products by cuBLASLt, in a build over a Kokkos with CUDA alone (src/dense/README.md): of fp32, tf32 or bf16
/// numbers, but of fp32 ones for a layer of one neuron; sums are fp32. Calls throw Error where it refuses.
std::unique_ptr<DeviceProducts> cublaslt_products(Precision precision);

/// y = max(0, y), where not a number stays so.
void relu_on(const Device& device, Index rows, Rows<float> y);
/// to = from, 0 where y <= 0 or is not a number.
void mask_on(const Device& device, Index rows, Rows<const float> y, Rows<const float> from, Rows<float> to);
/// to = from, rounded to bf16 (its 16 bits).
void round_on(const Device& device, Index rows, Rows<const float> from, Rows<std::uint16_t> to);

/// Makes the products of `kernels`, which are a device's.
std::unique_ptr<DeviceProducts> device_products(Kernels kernels, Precision precision);

}  // namespace tesserec::products
