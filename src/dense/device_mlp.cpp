// SPDX-License-Identifier: Apache-2.0
#include "device_mlp.hpp"

#include "activation_formulas.hpp"
#include "device_layers.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/dense/device_rows.hpp>

namespace tesserec::dense {
namespace {

template <class Formula>
void activate_by(const Device& device, Index rows, const float* x, Rows<float> y) {
  const Index width = y.width;
  over_numbers(
      device, "tesserec::dense::activate", rows * width,
      KOKKOS_LAMBDA(Index i) { y[i / width][i % width] = Formula::of(x[i]); });
}
/// to = from f'(x)
template <class Formula>
void activate_back_by(const Device& device, Index rows, const float* x, Rows<const float> from, float* to) {
  const Index width = from.width;
  over_numbers(
      device, "tesserec::dense::activate_back", rows * width,
      KOKKOS_LAMBDA(Index i) { to[i] = from[i / width][i % width] * Formula::slope(x[i]); });
}

class MlpOnDevice final : public DeviceLayer {
 public:
  MlpOnDevice(const std::vector<LinearLayer>& layers, DeviceProducts& products) : mlp_(layers, products) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    mlp_.forward(device, batch.rows, batch.parameters, batch.inputs[0], out);
  }
  void backward(const Device& device, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    mlp_.backward(device, {batch.rows, batch.parameters, batch.inputs[0], out}, batch.chunks, upstream,
                  input_gradients[0], gradient);
  }

 private:
  DeviceMlp mlp_;
};

}  // namespace

void DeviceMlp::forward(const Device& device, Index rows, const float* parameters, Rows<const float> x,
                        Rows<float> out) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    const bool last = l + 1 == layers_.size(), smooth = is_smooth(layer.activation);
    if (!last) reserve_device(device, outputs_[l], "tesserec::dense::activations", rows * layer.out);
    if (smooth) reserve_device(device, smooth_[l], "tesserec::dense::activations", rows * layer.out);
    const Rows<float> y = last ? out : output(l), before{smooth_[l].data(), layer.out, layer.out};
    const float* const bias = layer.bias == LinearLayer::without ? nullptr : parameters + layer.bias;
    products_.forward(device, {rows, x, parameters + layer.weight, bias, layer.activation == Activation::relu,
                               smooth ? before : y, &rounded_[l]});
    if (smooth) with_formula(layer.activation, [&]<class F>() { activate_by<F>(device, rows, before.data, y); });
    x = y;
  }
}

void DeviceMlp::backward(const Device& device, const Forward& of, const Pieces& pieces, Rows<const float> upstream,
                         Rows<float> input_gradient, LaneGradients gradient) {
  const auto& [rows, parameters, x, out] = of;
  Index widest = layers_.back().out;
  for (const LinearLayer& layer : layers_) widest = std::max(widest, layer.out);
  for (auto& one : gradients_) reserve_device(device, one, "tesserec::dense::gradients", rows * widest);
  Rows<const float> dy = upstream;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const LinearLayer& layer = layers_[l];
    const bool last = l + 1 == layers_.size();
    float* const own = gradients_[l % 2].data();
    if (is_smooth(layer.activation))
      with_formula(layer.activation,
                   [&, rows = of.rows]<class F>() { activate_back_by<F>(device, rows, smooth_[l].data(), dy, own); });
    else if (last && layer.activation == Activation::relu)
      mask_on(device, rows, out, dy, {own, layer.out, layer.out});
    if (!last || layer.activation != Activation::none) dy = {own, layer.out, layer.out};
    float* const bias = layer.bias == LinearLayer::without ? nullptr : gradient.data + layer.bias;
    products_.weight_gradient(device, {pieces, dy, l > 0 ? output(l - 1) : x, gradient.data + layer.weight, bias,
                                       gradient.stride, &rounded_[l]});
    if (l == 0 && input_gradient.data == nullptr) break;
    const Rows<float> dx = l > 0 ? Rows<float>{gradients_[(l - 1) % 2].data(), layer.in, layer.in} : input_gradient;
    Rows<const float> masked;
    if (l > 0 && layers_[l - 1].activation == Activation::relu) masked = output(l - 1);
    products_.input_gradient(device, {rows, dy, parameters + layer.weight, masked, dx, &rounded_[l]});
    dy = dx;
  }
}

std::unique_ptr<DeviceLayer> mlp_on_device(const std::vector<LinearLayer>& layers, DeviceProducts& products) {
  return std::make_unique<MlpOnDevice>(layers, products);
}

}  // namespace tesserec::dense
