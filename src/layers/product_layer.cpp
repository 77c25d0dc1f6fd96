// SPDX-License-Identifier: Apache-2.0
// Projected interaction of DLRM (TorchRec's InteractionProjectionArch). A sample's inputs are matrices A [F1, dim] and
// B [dim, F2], both row-major, and the output is A B [F1, F2].
#include <cmath>

#include "makers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

/// Matrix of each sample, whose element (i, k) lies at i * row + k * column.
struct SampleMatrix {
  Rows<const float> of;
  Index row, column;
};
struct ProductSize {
  Index n, depth, m;
};
/// Computes c [n, m] = a [n, depth] b [depth, m] of each sample, each element one fma chain from +0. b and c are
/// row-major.
void multiply(const Where& where, Index samples, const ProductSize& size, const SampleMatrix& a, Rows<const float> b,
              Rows<float> c) {
  const Index n = size.n, depth = size.depth, m = size.m;
  over_rows(
      where, "tesserec::layers::sample_products", samples * n, KOKKOS_LAMBDA(Index at, const RowThreads& threads) {
        const Index r = at / n, i = at % n;
        const float *const row = a.of[r] + i * a.row, *const columns = b[r];
        float* const to = c[r] + i * m;
        const Index step = a.column;
        threads.sums(
            m, depth, [](Index) { return 0.0f; },
            [=](Index k, Index j, float sum) { return std::fma(row[k * step], columns[k * m + j], sum); },
            [=](Index j, float sum) { to[j] = sum; });
      });
}

class ProductLayer final : public Layer {
 public:
  ProductLayer(Index rows, Index dim, Index columns) : rows_(rows), dim_(dim), columns_(columns) {}

  Index width() const override { return rows_ * columns_; }
  std::string describe() const override {
    return concat(rows_, " x ", dim_, " times ", dim_, " x ", columns_, ", ", width(), " wide");
  }
  Flops flops() const override {
    const double product_flops = 2.0 * double(rows_ * dim_ * columns_);
    return {product_flops, 2 * product_flops, 0};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Transposed>(); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    multiply(where, batch.rows, {rows_, dim_, columns_}, {batch.inputs[0], dim_, 1}, batch.inputs[1], out);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    const Index dim = dim_, columns = columns_, width = dim * columns;
    if (input_gradients[0].data != nullptr) {
      float* const turned = own<Transposed>(batch).b.reserve(where, "tesserec::layers::transposed", batch.rows * width);
      const Rows<const float> b = batch.inputs[1];
      over_elements(
          where, "tesserec::layers::transpose", batch.rows, width,
          KOKKOS_LAMBDA(Index r, Index i) { turned[r * width + i] = b[r][i % dim * columns + i / dim]; });
      multiply(where, batch.rows, {rows_, columns, dim}, {upstream, columns, 1}, {turned, width, width},
               input_gradients[0]);
    }
    if (input_gradients[1].data != nullptr)
      multiply(where, batch.rows, {dim, rows_, columns}, {batch.inputs[0], 1, dim}, upstream, input_gradients[1]);
  }

 private:
  struct Transposed : Workspace {
    LoopBuffer<float> b;  // each sample's B^T
  };
  Index rows_, dim_, columns_;
};

}  // namespace

std::unique_ptr<Layer> make_product(const LayerSettings& settings, const InputShapes& inputs) {
  if (inputs.size() != 2) fail("a product takes two inputs, but has ", inputs.size());
  const Index dim = settings.dim, a = inputs[0].width(), b = inputs[1].width();
  if (dim < 1) fail("a product needs dim, the columns of its first matrix and the rows of its second");
  if (a % dim != 0 || b % dim != 0) fail("dim = ", dim, " must divide the widths of both inputs, ", a, " and ", b);
  return std::make_unique<ProductLayer>(a / dim, dim, b / dim);
}

}  // namespace tesserec::layers
