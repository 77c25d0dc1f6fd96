// SPDX-License-Identifier: Apache-2.0
// cross and vector_cross on a device.
#include "device_layers.hpp"
#include "device_mlp.hpp"
#include "device_sums.hpp"
#include "layer_formulas.hpp"
#include "row_threads.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/dense/device_rows.hpp>

namespace tesserec::dense {
namespace {

class CrossOnDevice final : public DeviceLayer {
 public:
  CrossOnDevice(const std::vector<Mlp>& layers, DeviceProducts& products) : x_(layers.size() - 1), u_(layers.size()) {
    for (const Mlp& layer : layers) products_.emplace_back(layer.layers(), products);
  }

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    const Rows<const float> x0 = batch.inputs[0];
    const Index width = x0.width;
    for (std::size_t l = 0; l < products_.size(); ++l) {
      const bool last = l + 1 == products_.size();
      reserve_device(device, u_[l], "tesserec::dense::cross", batch.rows * width);
      if (!last) reserve_device(device, x_[l], "tesserec::dense::cross", batch.rows * width);
      const Rows<const float> x = input(batch, l);
      const Rows<float> u{u_[l].data(), width, width}, next = last ? out : Rows<float>{x_[l].data(), width, width};
      products_[l].forward(device, batch.rows, batch.parameters, x, u);
      over_numbers(
          device, "tesserec::dense::cross", batch.rows * width, KOKKOS_LAMBDA(Index i) {
            const Index r = i / width, c = i % width;
            next[r][c] = crossed(x0[r][c], u[r][c], x[r][c]);
          });
    }
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    const Rows<const float> x0 = batch.inputs[0];
    const Index width = x0.width, n = batch.rows * width;
    for (DeviceVector<float>* one : {&g_, &du_, &dx_, &dx0_}) reserve_device(device, *one, "tesserec::dense::cross", n);
    float *const g = g_.data(), *const du = du_.data(), *const dx = dx_.data(), *const dx0 = dx0_.data();
    const Rows<float> to = input_gradients[0];
    for (std::size_t l = products_.size(); l-- > 0;) {
      const bool begins = l + 1 == products_.size();
      const float* const u = u_[l].data();
      over_numbers(
          device, "tesserec::dense::cross_back", n, KOKKOS_LAMBDA(Index i) {
            const Index r = i / width, c = i % width;
            const float slope = g[i] = begins ? upstream[r][c] : g[i] + dx[i];
            du[i] = slope * x0[r][c];
            dx0[i] = begins ? slope * u[i] : dx0[i] + slope * u[i];
          });
      const bool wanted = l > 0 || to.data != nullptr;
      products_[l].backward(device, {batch.rows, batch.parameters, input(batch, l), {u, width, width}}, batch.chunks,
                            {du, width, width}, {wanted ? dx : nullptr, width, width}, gradient);
    }
    if (to.data == nullptr) return;
    over_numbers(
        device, "tesserec::dense::cross_input", n,
        KOKKOS_LAMBDA(Index i) { to[i / width][i % width] = g[i] + dx[i] + dx0[i]; });
  }

 private:
  Rows<const float> input(const Batch& batch, std::size_t l) const {
    const Index width = batch.inputs[0].width;
    return l == 0 ? batch.inputs[0] : Rows<const float>{x_[l - 1].data(), width, width};
  }

  std::vector<DeviceMlp> products_;
  std::vector<DeviceVector<float>> x_, u_;  // [layer] x_{l+1} but the last; what multiplies x_0
  DeviceVector<float> g_, du_, dx_, dx0_;   // gradients: of a layer's output, of u, by way of the products, of x_0
};

class VectorCrossOnDevice final : public DeviceLayer {
 public:
  VectorCrossOnDevice(Index width, const std::vector<VectorCross>& layers)
      : width_(width), layers_(layers), x_(layers.size() - 1), s_(layers.size()) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    const Rows<const float> x0 = batch.inputs[0];
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const bool last = l + 1 == layers_.size();
      reserve_device(device, s_[l], "tesserec::dense::cross", batch.rows);
      if (!last) reserve_device(device, x_[l], "tesserec::dense::cross", batch.rows * width_);
      const Rows<const float> x = input(batch, l);
      const Rows<float> next = last ? out : Rows<float>{x_[l].data(), width_, width_};
      const float *const w = batch.parameters + layers_[l].w, *const bias = batch.parameters + layers_[l].bias;
      float* const kept = s_[l].data();
      const Index width = width_;
      over_rows(
          device, "tesserec::dense::vector_cross", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float s = inner_product_by(threads, width, w, x[r]);
            if (threads.first()) kept[r] = s;
            const float *const first = x0[r], *const from = x[r];
            float* const to = next[r];
            threads.each(width, [=](Index i) { to[i] = crossed(first[i], s, bias[i], from[i]); });
          });
    }
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    const Rows<const float> x0 = batch.inputs[0];
    const Index width = width_, n = batch.rows * width;
    for (DeviceVector<float>* one : {&g_, &dx0_}) reserve_device(device, *one, "tesserec::dense::cross", n);
    reserve_device(device, ds_, "tesserec::dense::cross", batch.rows);
    float *const g = g_.data(), *const dx0 = dx0_.data(), *const ds = ds_.data();
    copy_on(device, batch.rows, upstream, {g, width, width});
    over_numbers(
        device, "tesserec::dense::clear", n, KOKKOS_LAMBDA(Index i) { dx0[i] = 0.0f; });
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const Rows<const float> x = input(batch, l);
      const float *const w = batch.parameters + layers_[l].w, *const s = s_[l].data();
      over_rows(
          device, "tesserec::dense::vector_cross_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            float *const own = g + r * width, *const to = dx0 + r * width;
            const float slope = inner_product_by(threads, width, own, x0[r]), of_row = s[r];
            if (threads.first()) ds[r] = slope;
            threads.each(width, [=](Index i) { to[i] = std::fma(of_row, own[i], to[i]); });
          });
      sums_.begin(device, batch.chunks, 2 * width);
      sums_.add(
          device, "tesserec::dense::vector_cross_bias", width, width,
          KOKKOS_LAMBDA(Index r, Index c, float sum) { return sum + g[r * width + c]; });
      sums_.add(
          device, "tesserec::dense::vector_cross_weight", 0, width,
          KOKKOS_LAMBDA(Index r, Index c, float sum) { return std::fma(ds[r], x[r][c], sum); });
      sums_.finish(device, 0, width, gradient.from(layers_[l].w), ChunkSums::Lane::from_zero);
      sums_.finish(device, width, width, gradient.from(layers_[l].bias), ChunkSums::Lane::from_zero);
      over_numbers(
          device, "tesserec::dense::vector_cross_slope", n,
          KOKKOS_LAMBDA(Index i) { g[i] = std::fma(ds[i / width], w[i % width], g[i]); });
    }
    const Rows<float> to = input_gradients[0];
    if (to.data == nullptr) return;
    over_numbers(
        device, "tesserec::dense::cross_input", n,
        KOKKOS_LAMBDA(Index i) { to[i / width][i % width] = g[i] + dx0[i]; });
  }

 private:
  Rows<const float> input(const Batch& batch, std::size_t l) const {
    return l == 0 ? batch.inputs[0] : Rows<const float>{x_[l - 1].data(), width_, width_};
  }

  Index width_;
  std::vector<VectorCross> layers_;
  std::vector<DeviceVector<float>> x_, s_;  // [layer] x_{l+1} but the last; w_l . x_l
  DeviceVector<float> g_, dx0_, ds_;        // gradients: of a layer's output, of x_0, of s
  ChunkSums sums_;
};

}  // namespace

std::unique_ptr<DeviceLayer> cross_on_device(const std::vector<Mlp>& layers, DeviceProducts& products) {
  return std::make_unique<CrossOnDevice>(layers, products);
}
std::unique_ptr<DeviceLayer> vector_cross_on_device(Index width, const std::vector<VectorCross>& layers) {
  return std::make_unique<VectorCrossOnDevice>(width, layers);
}

}  // namespace tesserec::dense
