// SPDX-License-Identifier: Apache-2.0
/// The products of linear layers behind one seam: on a host in panels (src/dense/README.md), on a device row by row.
#pragma once

#include <cstdint>
#include <memory>

#include <tesserec/core/kernels.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {

/// A matrix [rows, width] between products. What lies in `numbers` is for elementwise loops: Products::numbers() floats
/// in an order that is the same for all matrices of as many rows and columns.
struct Matrix {
  Index width = 0;
  bool of_bf16_chain = false;  ///< its chain of layers has products in bf16
  bool is_rounded = false;     ///< those that read it are
  float* numbers = nullptr;
  Index stride = 0;  ///< on a device

  // Storage of the products.
  LoopBuffer<float> own;           // numbers, where they are nobody else's
  LoopBuffer<float> across, down;  // on a host: the words of panels.hpp
  LoopBuffer<float> sums;          // on a host: of a gradient's columns

  Rows<float> rows() const { return {numbers, width, stride}; }
};

/// A linear layer as products read it. Gradients of weight and bias have no weights.
struct Linear {
  Index in = 0, out = 0;
  Precision precision = Precision::fp32;
  const float* weight = nullptr;          ///< [out, in]
  const float* bias = nullptr;            ///< [out]; null: none
  const float* packed_forward = nullptr;  ///< on a host, Mlp::pack
  const float* packed_backward = nullptr;
  const float* packed_bias = nullptr;
  DeviceProducts::Rounded* rounded = nullptr;  ///< on a device: operands kept from forward for the way back
};

class Products {
 public:
  virtual ~Products() = default;

  /// Floats of `numbers` of a matrix [rows, width], padding included.
  virtual Index numbers(const Matrix& matrix, Index rows) const = 0;
  /// Makes room in the matrix's own storage.
  virtual void reserve(const Where& where, Index rows, Matrix& matrix) const = 0;
  /// matrix = from, which nobody writes: it may be `from` itself.
  virtual void load(const Where& where, Index rows, Rows<const float> from, Matrix& matrix) const = 0;
  /// The same of a gradient, before gradient_written. With `copy` it is in the matrix's own storage, to be changed.
  virtual void load_gradient(const Where& where, Index rows, Rows<const float> from, bool copy, Matrix& dy) const = 0;
  /// Makes room for what store() brings to `to`: `to` itself, or the matrix's own storage.
  virtual void place(const Where& where, Index rows, Rows<float> to, Matrix& matrix) const = 0;
  /// to = matrix, which place() prepared.
  virtual void store(const Where& where, Index rows, const Matrix& matrix, Rows<float> to) const = 0;
  /// Rounds what a loop has written into `numbers`, where products read it so.
  virtual void written(const Where& where, Index rows, Matrix& matrix) const = 0;
  /// The same of the gradient of a linear layer's output: 0 where `mask`, unless null, is 0 or below.
  virtual void gradient_written(const Where& where, Index rows, const Matrix* mask, Matrix& dy) const = 0;

  /// y = x weight^T + bias; `relu`: max(0, y), where not a number stays so.
  virtual void forward(const Where& where, Index rows, const Linear& linear, const Matrix& x, bool relu, Matrix& y) = 0;
  /// Each lane's dy^T x and column sums of dy. dy was written by gradient_written or by input_gradient.
  struct LinearGradients {
    LaneGradients weight, bias;  ///< bias.data null: there is none
  };
  virtual void weight_gradient(const Where& where, const Pieces& pieces, const Linear& linear, const Matrix& dy,
                               const Matrix& x, const LinearGradients& to) = 0;
  /// dx = dy weight, after weight_gradient of the same dy. `finished`: as gradient_written(mask), where dx is the
  /// gradient of a linear layer's output and has no activation's slope to pass.
  virtual void input_gradient(const Where& where, Index rows, const Linear& linear, const Matrix& dy, bool finished,
                              const Matrix* mask, Matrix& dx) = 0;
};

/// Makes the products of a host's thread. Bits depend on the numbers alone, not on the machine or on other rows.
std::unique_ptr<Products> panel_products();
/// Makes those of `kernels`.
std::unique_ptr<Products> make_products(Kernels kernels, Precision precision);

}  // namespace tesserec::products
