// SPDX-License-Identifier: Apache-2.0
// score, product, fm and layer_norm on a device.
#include "device_layers.hpp"
#include "device_sums.hpp"
#include "layer_formulas.hpp"
#include "row_threads.hpp"
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/device_loops.hpp>

namespace tesserec::dense {
namespace {

class ScoreOnDevice final : public DeviceLayer {
 public:
  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    const Rows<const float> a = batch.inputs[0], b = batch.inputs[1];
    over_rows(
        device, "tesserec::dense::score", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          const float score = inner_product_by(threads, a.width, a[r], b[r]);
          if (threads.first()) *out[r] = score;
        });
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    for (std::size_t n = 0; n < 2; ++n) {
      const Rows<const float> other = batch.inputs[1 - n];
      const Rows<float> to = input_gradients[n];
      if (to.data == nullptr) continue;
      over_numbers(
          device, "tesserec::dense::score_back", batch.rows * to.width, KOKKOS_LAMBDA(Index i) {
            const Index r = i / to.width, c = i % to.width;
            to[r][c] = *upstream[r] * other[r][c];
          });
    }
  }
};

/// A matrix of each sample, element (i, j) at i * row + j * column.
template <class T>
struct SampleMatrix {
  Rows<T> of;
  Index row, column;
  TESSEREC_FUNCTION T& operator()(Index r, Index i, Index j) const { return of[r][i * row + j * column]; }
};

class ProductOnDevice final : public DeviceLayer {
 public:
  ProductOnDevice(Index rows, Index dim, Index columns) : rows_(rows), dim_(dim), columns_(columns) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    multiply(device, batch.rows, {rows_, dim_, columns_}, {batch.inputs[0], dim_, 1}, {batch.inputs[1], columns_, 1},
             {out, columns_, 1});
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    const SampleMatrix<const float> dy{upstream, columns_, 1};
    if (input_gradients[0].data != nullptr)
      multiply(device, batch.rows, {rows_, columns_, dim_}, dy, {batch.inputs[1], 1, columns_},
               {input_gradients[0], dim_, 1});
    if (input_gradients[1].data != nullptr)
      multiply(device, batch.rows, {dim_, rows_, columns_}, {batch.inputs[0], 1, dim_}, dy,
               {input_gradients[1], columns_, 1});
  }
  struct Size {
    Index n, depth, m;
  };
  /// c [n, m] = a [n, depth] b [depth, m] of each sample, each element one chain of fma from +0.
  static void multiply(const Device& device, Index samples, const Size& size, const SampleMatrix<const float>& a,
                       const SampleMatrix<const float>& b, const SampleMatrix<float>& c) {
    const Index n = size.n, depth = size.depth, m = size.m;
    over_numbers(
        device, "tesserec::dense::sample_products", samples * n * m, KOKKOS_LAMBDA(Index at) {
          const Index r = at / (n * m), i = at / m % n, j = at % m;
          float sum = 0.0f;
          for (Index k = 0; k < depth; ++k) sum = std::fma(a(r, i, k), b(r, k, j), sum);
          c(r, i, j) = sum;
        });
  }

 private:
  Index rows_, dim_, columns_;
};

class FmOnDevice final : public DeviceLayer {
 public:
  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    reserve_device(device, sums_, "tesserec::dense::fm_sums", batch.rows);
    const Rows<const float>* const inputs = inputs_.upload(device, batch.inputs);
    const auto count = Index(batch.inputs.size());
    double* const kept = sums_.data();
    over_rows(
        device, "tesserec::dense::fm", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          EightChains<double> sums, squares;
          for (Index n = 0; n < count; ++n) add_to_fm(threads, inputs[n].width, inputs[n][r], sums, squares);
          const double sum = threads.total(sums), square = threads.total(squares);
          if (threads.first()) {
            kept[r] = sum;
            *out[r] = fm_of(sum, square);
          }
        });
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) override {
    const double* const sums = sums_.data();
    for (std::size_t n = 0; n < input_gradients.size(); ++n) {
      const Rows<const float> x = batch.inputs[n];
      const Rows<float> to = input_gradients[n];
      if (to.data == nullptr) continue;
      over_numbers(
          device, "tesserec::dense::fm_back", batch.rows * to.width, KOKKOS_LAMBDA(Index i) {
            const Index r = i / to.width, c = i % to.width;
            to[r][c] = fm_slope(*upstream[r], sums[r], x[r][c]);
          });
    }
  }

 private:
  DeviceList<Rows<const float>> inputs_;
  DeviceVector<double> sums_;  // of each sample's numbers
};

class LayerNormOnDevice final : public DeviceLayer {
 public:
  LayerNormOnDevice(Index width, Index weight, Index bias) : width_(width), weight_(weight), bias_(bias) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    reserve_device(device, h_, "tesserec::dense::normal", batch.rows * width_);
    reserve_device(device, inverse_, "tesserec::dense::deviations", batch.rows);
    const Index width = width_;
    float* const normal = h_.data();
    double* const inverse = inverse_.data();
    const Rows<const float> x = batch.inputs[0];
    const float *const weight = batch.parameters + weight_, *const bias = batch.parameters + bias_;
    over_rows(
        device, "tesserec::dense::layer_norm", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          float *const h = normal + r * width, *const y = out[r];
          const double of_row = normalise_by(threads, width, x[r], h);
          if (threads.first()) inverse[r] = of_row;
          threads.each(width, [=](Index i) { y[i] = std::fma(weight[i], h[i], bias[i]); });
        });
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    const Index width = width_;
    const float* const h = h_.data();
    const double* const inverse = inverse_.data();
    const float* const weight = batch.parameters + weight_;
    const Rows<float> dx = input_gradients[0];
    if (dx.data != nullptr)
      over_rows(
          device, "tesserec::dense::layer_norm_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            normalise_back_by(threads, width, weight, h + r * width, upstream[r], inverse[r], dx[r]);
          });
    sums_.begin(device, batch.chunks, 2 * width);
    sums_.add(
        device, "tesserec::dense::layer_norm_weight", 0, width,
        KOKKOS_LAMBDA(Index r, Index c, float sum) { return std::fma(h[r * width + c], upstream[r][c], sum); });
    sums_.add(
        device, "tesserec::dense::layer_norm_bias", width, width,
        KOKKOS_LAMBDA(Index r, Index c, float sum) { return sum + upstream[r][c]; });
    sums_.finish(device, 0, width, gradient.from(weight_), ChunkSums::Lane::from_zero);
    sums_.finish(device, width, width, gradient.from(bias_), ChunkSums::Lane::from_zero);
  }

 private:
  Index width_, weight_, bias_;
  DeviceVector<float> h_;         // [rows, width]
  DeviceVector<double> inverse_;  // of each row's deviation
  ChunkSums sums_;
};

}  // namespace

std::unique_ptr<DeviceLayer> score_on_device() { return std::make_unique<ScoreOnDevice>(); }
std::unique_ptr<DeviceLayer> product_on_device(Index rows, Index dim, Index columns) {
  return std::make_unique<ProductOnDevice>(rows, dim, columns);
}
std::unique_ptr<DeviceLayer> fm_on_device() { return std::make_unique<FmOnDevice>(); }
std::unique_ptr<DeviceLayer> layer_norm_on_device(Index width, Index weight, Index bias) {
  return std::make_unique<LayerNormOnDevice>(width, weight, bias);
}

}  // namespace tesserec::dense
