// SPDX-License-Identifier: Apache-2.0
// Layer normalization (Ba, Kiros, Hinton, arXiv 1607.06450) over a sample's n values:
//   h = (x - mean) / sqrt(variance + 1e-5);   y = weight * h + bias
//   dx = (d - mean d - h mean (d h)) / sqrt(variance + 1e-5),   d = weight dy
// Means and variances are in double.
#include <cmath>

#include "makers.hpp"
#include <tesserec/core/chunk_sums.hpp>

namespace tesserec::layers {
namespace {

class LayerNorm final : public Layer {
 public:
  explicit LayerNorm(Index width)
      : width_(width),
        weight_(add_parameter("weight", width, 1, Start::one)),
        bias_(add_parameter("bias", width, 1, Start::zero)) {}

  Index width() const override { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  Flops flops() const override { return {8.0 * double(width_), 8.0 * double(width_), 3.0 * double(width_)}; }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Normal>(); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    Normal& own = this->own<Normal>(batch);
    const Index n = width_;
    float* const normal = own.h.reserve(where, "tesserec::layers::normal", batch.rows * n);
    double* const inverse = own.inverse.reserve(where, "tesserec::layers::deviations", batch.rows);
    const Rows<const float> input = batch.inputs[0];
    const float *const weight = batch.parameters + weight_, *const bias = batch.parameters + bias_;
    over_rows(
        where, "tesserec::layers::layer_norm", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          const float* const x = input[r];
          float *const h = normal + r * n, *const y = out[r];
          const double mean =
              threads.chains<double>(n, [=](Index i, double sum) { return sum + double(x[i]); }) / double(n);
          const double squares =
              threads.chains<double>(n, [=](Index i, double sum) { return sum + (x[i] - mean) * (x[i] - mean); });
          const double of_row = 1.0 / std::sqrt(squares / double(n) + 1e-5);
          if (threads.first()) inverse[r] = of_row;
          threads.each(n, [=](Index i) {
            h[i] = float((x[i] - mean) * of_row);
            y[i] = std::fma(weight[i], h[i], bias[i]);
          });
        });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    Normal& own = this->own<Normal>(batch);
    const Index n = width_;
    const float* const normal = own.h.data();
    const double* const inverse = own.inverse.data();
    const float* const weight = batch.parameters + weight_;
    const Rows<float> to = input_gradients[0];
    if (to.data != nullptr)
      over_rows(
          where, "tesserec::layers::layer_norm_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float *const h = normal + r * n, *const dy = upstream[r];
            float* const dx = to[r];
            const double mean = threads.chains<double>(n, [=](Index i, double sum) {
              return sum + double(weight[i] * dy[i]);
            }) / double(n);
            const double along = threads.chains<double>(n, [=](Index i, double sum) {
              return sum + double(weight[i] * dy[i]) * h[i];
            }) / double(n);
            const double of_row = inverse[r];
            threads.each(n, [=](Index i) { dx[i] = float((weight[i] * dy[i] - mean - h[i] * along) * of_row); });
          });
    own.sums.begin(where, batch.chunks, 2 * n);
    own.sums.add(
        where, "tesserec::layers::layer_norm_weight", 0, n,
        KOKKOS_LAMBDA(Index r, Index c, float sum) { return std::fma(normal[r * n + c], upstream[r][c], sum); });
    own.sums.add(
        where, "tesserec::layers::layer_norm_bias", n, n,
        KOKKOS_LAMBDA(Index r, Index c, float sum) { return sum + upstream[r][c]; });
    own.sums.finish(where, 0, n, gradient.from(weight_), ChunkSums::Lane::from_zero);
    own.sums.finish(where, n, n, gradient.from(bias_), ChunkSums::Lane::from_zero);
  }

 private:
  struct Normal : Workspace {
    LoopBuffer<float> h;         // [rows, width]
    LoopBuffer<double> inverse;  // [rows] 1 / standard deviation
    ChunkSums sums;
  };

  Index width_, weight_, bias_;
};

}  // namespace

std::unique_ptr<Layer> make_layer_norm(const LayerSettings&, const InputShapes& inputs) {
  return std::make_unique<LayerNorm>(one_width("a layer_norm", inputs));
}

}  // namespace tesserec::layers
