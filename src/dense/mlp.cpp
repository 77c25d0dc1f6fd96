// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "activation_formulas.hpp"
#include "panels.hpp"
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

Index padded(Index columns) { return panel_count(columns, kernels().width) * kernels().width; }

/// y = f(x), f smooth
void activate(const Where& where, Activation activation, Index n, const float* x, float* y) {
  with_formula(activation, [&]<class F>() { over_numbers(where, "tesserec::dense::activate", n, Activate<F>{x, y}); });
}
/// dy = dy f'(x), f smooth
void activate_back(const Where& where, Activation activation, Index n, const float* x, float* dy) {
  with_formula(activation, [&]<class F>() {
    over_numbers(where, "tesserec::dense::activate_back", n, ActivateBack<F>{x, dy});
  });
}

}  // namespace

Mlp::Mlp(std::vector<LinearLayer> layers, Precision precision) : layers_(std::move(layers)), precision_(precision) {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    const Index forward = packed_size_, backward = forward + padded(layer.out) * depth(l, layer.in),
                bias = backward + padded(layer.in) * depth(l, layer.out);
    packed_.push_back({forward, backward, bias});
    packed_size_ = bias + padded(layer.out);
  }
}

void Mlp::pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part) const {
  const Index width = kernels().width;
  struct Panel {
    std::size_t layer;
    Index number;
  };
  std::vector<Panel> panels;
  for (std::size_t l = 0; l < layers_.size(); ++l)
    for (Index p = 0; p < panel_count(layers_[l].out, width); ++p)
      if (part.contains(layers_[l].weight + p * width * layers_[l].in)) panels.push_back({l, p});
  parallel_for(exec, "tesserec::dense::pack", std::ssize(panels), [&](Index i) {
    const auto& [l, p] = panels[i];
    const LinearLayer& layer = layers_[l];
    const PanelKernels& products = in_bf16(l) ? kernels().bf16 : kernels().fp32;
    products.pack_rows(layer.out, layer.in, p, parameters + layer.weight, packed + packed_[l].forward,
                       backward ? packed + packed_[l].backward : nullptr);
    const Index begin = p * width, end = std::min(begin + width, layer.out);
    float* const bias = packed + packed_[l].bias;
    std::fill(bias + begin, bias + begin + width, 0.0f);
    if (layer.bias != LinearLayer::without)
      std::copy(parameters + layer.bias + begin, parameters + layer.bias + end, bias + begin);
  });
}

Mlp::Workspace Mlp::make_workspace() const {
  const auto matrix = [&](Index width, bool is_rounded) {
    Matrix made;
    made.width = width;
    made.of_bf16_chain = precision_ == Precision::bf16;
    made.is_rounded = is_rounded;
    return made;
  };
  Workspace made;
  made.x = matrix(input_width(), in_bf16(0));
  made.dx = matrix(input_width(), false);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    made.y.push_back(matrix(layers_[l].out, in_bf16(l + 1)));
    made.smooth.push_back(matrix(layers_[l].out, false));
    made.dy.push_back(matrix(layers_[l].out, in_bf16(l)));
  }
  made.rounded.resize(layers_.size());
  return made;
}

Linear Mlp::linear(const Layer::Batch& batch, std::size_t l, Workspace& own) const {
  const LinearLayer& layer = layers_[l];
  const float* const bias = layer.bias == LinearLayer::without ? nullptr : batch.parameters + layer.bias;
  return {layer.in,
          layer.out,
          precision(l),
          batch.parameters + layer.weight,
          bias,
          batch.packed + packed_[l].forward,
          batch.packed + packed_[l].backward,
          batch.packed + packed_[l].bias,
          &own.rounded[l]};
}

void Mlp::forward(const Where& where, const Layer::Batch& batch, Rows<const float> x, Rows<float> out,
                  Workspace& own) const {
  batch.products->load(where, batch.rows, x, own.x);
  batch.products->place(where, batch.rows, out, own.y.back());
  forward(where, batch, own);
  batch.products->store(where, batch.rows, own.y.back(), out);
}

void Mlp::forward(const Where& where, const Layer::Batch& batch, Workspace& own) const {
  Products& products = *batch.products;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Activation activation = layers_[l].activation;
    const Matrix& x = l > 0 ? own.y[l - 1] : own.x;
    if (l + 1 < layers_.size()) products.reserve(where, batch.rows, own.y[l]);
    Matrix& y = is_smooth(activation) ? own.smooth[l] : own.y[l];
    if (is_smooth(activation)) products.reserve(where, batch.rows, y);
    products.forward(where, batch.rows, linear(batch, l, own), x, activation == Activation::relu, y);
    if (!is_smooth(activation)) continue;
    activate(where, activation, products.numbers(y, batch.rows), y.numbers, own.y[l].numbers);
    products.written(where, batch.rows, own.y[l]);
  }
}

void Mlp::backward(const Where& where, const Layer::Batch& batch, Rows<const float> upstream,
                   Rows<float> input_gradient, LaneGradients gradient, Workspace& own) const {
  Products& products = *batch.products;
  const Activation last = layers_.back().activation;
  Matrix& dy = own.dy.back();
  products.load_gradient(where, batch.rows, upstream, last != Activation::none, dy);
  if (is_smooth(last))
    activate_back(where, last, products.numbers(dy, batch.rows), own.smooth.back().numbers, dy.numbers);
  products.gradient_written(where, batch.rows, last == Activation::relu ? &own.y.back() : nullptr, dy);
  const bool wanted = input_gradient.data != nullptr;
  if (wanted) products.place(where, batch.rows, input_gradient, own.dx);
  backward(where, batch, wanted, gradient, own);
  if (wanted) products.store(where, batch.rows, own.dx, input_gradient);
}

void Mlp::backward(const Where& where, const Layer::Batch& batch, bool wanted, LaneGradients gradient,
                   Workspace& own) const {
  Products& products = *batch.products;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const LinearLayer& layer = layers_[l];
    const Linear linear = this->linear(batch, l, own);
    LaneGradients bias;
    if (layer.bias != LinearLayer::without) bias = gradient.from(layer.bias);
    products.weight_gradient(where, batch.chunks, linear, own.dy[l], l > 0 ? own.y[l - 1] : own.x,
                             {gradient.from(layer.weight), bias});
    if (l == 0) {
      if (wanted) products.input_gradient(where, batch.rows, linear, own.dy[0], false, nullptr, own.dx);
      return;
    }
    const Activation before = layers_[l - 1].activation;
    Matrix& dx = own.dy[l - 1];
    products.reserve(where, batch.rows, dx);
    const Matrix* const mask = before == Activation::relu ? &own.y[l - 1] : nullptr;
    products.input_gradient(where, batch.rows, linear, own.dy[l], !is_smooth(before), mask, dx);
    if (!is_smooth(before)) continue;
    activate_back(where, before, products.numbers(dx, batch.rows), own.smooth[l - 1].numbers, dx.numbers);
    products.gradient_written(where, batch.rows, nullptr, dx);
  }
}

}  // namespace tesserec::dense
