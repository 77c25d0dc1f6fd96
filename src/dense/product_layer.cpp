// SPDX-License-Identifier: Apache-2.0
// DLRM's projected interaction (TorchRec's InteractionProjectionArch): a sample's first input is a matrix A [F1, dim],
// its second one B [dim, F2], both row after row; the output is A B [F1, F2].
#include "device_layers.hpp"
#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

/// A matrix whose element (i, k) is data[i * row + k * column]: itself, or its transpose.
struct Strided {
  const float* data;
  Index row, column;
};
/// c [n, m] = a [n, depth] b [depth, m], each element one chain of fma from +0.
TESSEREC_KERNEL void multiply(Index n, Index depth, Index m, const Strided& a, const float* b, float* c) {
  std::fill_n(c, n * m, 0.0f);
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < depth; ++k) {
      const float factor = a.data[i * a.row + k * a.column];
      for (Index j = 0; j < m; ++j) c[i * m + j] = std::fma(factor, b[k * m + j], c[i * m + j]);
    }
}

void transpose(Index n, Index m, const float* from, float* to) {
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < m; ++j) to[j * n + i] = from[i * m + j];
}

class ProductLayer final : public Layer {
 public:
  ProductLayer(Index rows, Index dim, Index columns) : rows_(rows), dim_(dim), columns_(columns) {}

  Index width() const override { return rows_ * columns_; }
  std::string describe() const override {
    return concat(rows_, " x ", dim_, " times ", dim_, " x ", columns_, ", ", width(), " wide");
  }
  Flops flops() const override {
    const double one = 2.0 * double(rows_ * dim_ * columns_);
    return {one, 2 * one, 0};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace(const Exec&, Index) const override {
    auto made = std::make_unique<Transposed>();
    made->b.resize(dim_ * columns_);
    return made;
  }
  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (Index r = 0; r < chunk.rows; ++r)
      multiply(rows_, dim_, columns_, {chunk.inputs[0][r], dim_, 1}, chunk.inputs[1][r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    float* const b = static_cast<Transposed*>(chunk.workspace)->b.data();
    for (Index r = 0; r < chunk.rows; ++r) {
      if (input_gradients[0].data != nullptr) {
        transpose(dim_, columns_, chunk.inputs[1][r], b);
        multiply(rows_, columns_, dim_, {upstream[r], columns_, 1}, b, input_gradients[0][r]);
      }
      if (input_gradients[1].data != nullptr)
        multiply(dim_, rows_, columns_, {chunk.inputs[0][r], 1, dim_}, upstream[r], input_gradients[1][r]);
    }
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override {
    return product_on_device(rows_, dim_, columns_);
  }

 private:
  struct Transposed : Workspace {
    std::vector<float> b;  // one sample's B
  };
  Index rows_, dim_, columns_;
};

}  // namespace

std::unique_ptr<Layer> make_product(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 2) fail("a product has two inputs, and not ", inputs.size());
  const Index dim = settings.dim, a = inputs[0].width(), b = inputs[1].width();
  if (dim < 1) fail("a product needs dim, the columns of its first matrix and the rows of its second");
  if (a % dim != 0 || b % dim != 0)
    fail("its inputs have ", a, " and ", b, " numbers, and dim = ", dim, " must divide both");
  return std::make_unique<ProductLayer>(a / dim, dim, b / dim);
}

}  // namespace tesserec::dense
