// SPDX-License-Identifier: Apache-2.0
/// Matrix products of linear layers behind one interface: in panels on a host (src/products/README.md), row-major on a
/// device.
#pragma once

#include <cstdint>
#include <memory>

#include <tesserec/core/kernels.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/products/device_products.hpp>

namespace tesserec::products {

/// Matrix [rows, width] between products. Elementwise loops may traverse `numbers`, which holds Products::numbers()
/// floats in an order shared by all matrices of equal rows and columns.
struct Matrix {
  Index width = 0;
  bool of_bf16_chain = false;        ///< membership in a chain of layers that has bf16 products
  Precision read = Precision::fp32;  ///< precision in which products read it: bf16 words, or codes of int8
  float* numbers = nullptr;
  Index stride = 0;  ///< floats between rows, on a device only

  // Storage that the products manage.
  LoopBuffer<float> own;           // storage of `numbers` that no caller owns
  LoopBuffer<float> across, down;  // words (src/products/kernels.hpp), on a host only
  LoopBuffer<float> codes;         // int8: each row's scale and code of 0 (src/products/int8.hpp)
  LoopBuffer<float> sums;          // column sums of a gradient, on a host only

  Rows<float> rows() const { return {numbers, width, stride}; }
};

/// Linear layer as products read it. For gradients of weight and bias the weights are unused.
struct Linear {
  Index in = 0, out = 0;
  Precision precision = Precision::fp32;
  const float* weight = nullptr;          ///< [out, in]
  const float* bias = nullptr;            ///< [out]; null = no bias
  const float* packed_forward = nullptr;  ///< operand that Mlp::pack() made, on a host only
  const float* packed_backward = nullptr;
  const float* packed_bias = nullptr;
  const float* packed_scales = nullptr;        ///< int8: scales and sums of the codes
  DeviceProducts::Rounded* rounded = nullptr;  ///< operands that forward() cached, on a device only
};

/// Matrix products of linear layers at one Where. On a device, calls queue their kernels and do not block.
class Products {
 public:
  virtual ~Products() = default;

  /// Returns the floats of `numbers` of a matrix [rows, width], padding included.
  virtual Index numbers(const Matrix& matrix, Index rows) const = 0;
  /// Reserves the matrix's own storage for `rows` rows.
  virtual void reserve(const Where& where, Index rows, Matrix& matrix) const = 0;
  /// Loads `from` into a matrix that nobody writes. The matrix may alias `from`. Without `by_loops` only products read
  /// the matrix, and `numbers` may stay unwritten.
  virtual void load(const Where& where, Index rows, Rows<const float> from, bool by_loops, Matrix& matrix) const = 0;
  /// Loads a gradient. Call gradient_written() next. With `copy` the gradient lies in the matrix's own storage and may
  /// be changed.
  virtual void load_gradient(const Where& where, Index rows, Rows<const float> from, bool copy, Matrix& dy) const = 0;
  /// Selects the storage of a matrix that store() will copy to `to`: `to` itself, or the matrix's own storage.
  virtual void place(const Where& where, Index rows, Rows<float> to, Matrix& matrix) const = 0;
  /// Copies a matrix that place() prepared to `to`, unless it lies there already.
  virtual void store(const Where& where, Index rows, const Matrix& matrix, Rows<float> to) const = 0;
  /// Rounds `numbers` after a loop has written them, if products read them rounded.
  virtual void written(const Where& where, Index rows, Matrix& matrix) const = 0;
  /// Completes the gradient of a linear layer's output after a loop has written it. Sets it to 0 where `mask`, unless
  /// null, is 0 or below, then rounds it as written() does. On a host it also sums the columns.
  virtual void gradient_written(const Where& where, Index rows, const Matrix* mask, Matrix& dy) const = 0;

  /// Computes y = x weight^T + bias. `relu` applies max(0, y), which preserves NaN.
  virtual void forward(const Where& where, Index rows, const Linear& linear, const Matrix& x, bool relu, Matrix& y) = 0;
  /// Targets of the gradients of a linear layer: each lane's dy^T x and column sums of dy.
  struct LinearGradients {
    LaneGradients weight, bias;  ///< bias.data null = no bias
  };
  /// Computes each lane's gradients. gradient_written() or input_gradient() must have written `dy`. A host's call has
  /// one lane.
  virtual void weight_gradient(const Where& where, const Pieces& pieces, const Linear& linear, const Matrix& dy,
                               const Matrix& x, const LinearGradients& to) = 0;
  /// Computes dx = dy weight, after weight_gradient() with the same dy. `finished` completes dx as
  /// gradient_written(mask) does; set it if dx is the gradient of a linear layer's output without a smooth activation.
  virtual void input_gradient(const Where& where, Index rows, const Linear& linear, const Matrix& dy, bool finished,
                              const Matrix* mask, Matrix& dx) = 0;
};

/// Makes the products of one host thread. `weights_near`: the weights of all products stay in the thread's second
/// cache. The bits depend on the operands alone, neither on the machine nor on other rows.
std::unique_ptr<Products> panel_products(bool weights_near = false);
/// Makes the products for the place of `kernels`. `precision` is for a device; a host's products read it from Linear.
std::unique_ptr<Products> make_products(Kernels kernels, Precision precision);

}  // namespace tesserec::products
