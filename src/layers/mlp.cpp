// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "activation_formulas.hpp"
#include <tesserec/layers/mlp.hpp>

namespace tesserec::layers {
namespace {

/// Computes y = f(x) of n values for a smooth activation f.
void activate(const Where& where, Activation activation, Index n, const float* x, float* y) {
  with_formula(activation, [&]<class F>() { over_numbers(where, "tesserec::layers::activate", n, Activate<F>{x, y}); });
}
/// Computes dy = dy f'(x) of n values for a smooth activation f.
void activate_backward(const Where& where, Activation activation, Index n, const float* x, float* dy) {
  with_formula(activation, [&]<class F>() {
    over_numbers(where, "tesserec::layers::activate_back", n, ActivateBack<F>{x, dy});
  });
}

}  // namespace

Mlp::Mlp(std::vector<LinearLayer> layers, products::Precision precision, Index packed_begin)
    : layers_(std::move(layers)), precision_(precision) {
  for (std::size_t l = 0; l < layers_.size(); ++l)
    packed_.emplace_back(l > 0 ? packed_end() : packed_begin, layers_[l].in, layers_[l].out, this->precision(l));
}

Flops Mlp::flops(double chains, double first) const {
  double all = 0;
  for (const LinearLayer& layer : layers_) all += chains * 2.0 * double(layer.in * layer.out);
  const double inputs = first * 2.0 * double(layers_.front().in * layers_.front().out);
  return {all, inputs, 2 * all - inputs};
}

void Mlp::pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range range) const {
  struct Panel {
    std::size_t layer;
    Index number;
  };
  std::vector<Panel> panels;
  for (std::size_t l = 0; l < layers_.size(); ++l)
    for (Index p = 0; p < packed_[l].panels(); ++p)
      if (range.contains(layers_[l].weight + packed_[l].first_weight(p))) panels.push_back({l, p});
  parallel_for(exec, "tesserec::layers::pack", std::ssize(panels), [&](Index i) {
    const auto& [l, p] = panels[i];
    packed_[l].pack(p, parameters + layers_[l].weight, bias_of(l, parameters), backward, packed);
  });
}

Mlp::Matrices Mlp::make_matrices() const {
  const auto matrix = [&](Index width, products::Precision read) {
    products::Matrix made;
    made.width = width;
    made.of_bf16_chain = precision_ == products::Precision::bf16;
    made.read = read;
    return made;
  };
  Matrices made;
  made.x = matrix(input_width(), read_in(0));
  made.dx = matrix(input_width(), products::Precision::fp32);
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    made.y.push_back(matrix(layers_[l].out, read_in(l + 1)));
    made.smooth.push_back(matrix(layers_[l].out, products::Precision::fp32));
    made.dy.push_back(matrix(layers_[l].out, read_in(l)));
  }
  made.rounded.resize(layers_.size());
  return made;
}

products::Linear Mlp::linear(const Layer::Batch& batch, std::size_t l, Matrices& own) const {
  const LinearLayer& layer = layers_[l];
  return {layer.in,
          layer.out,
          precision(l),
          batch.parameters + layer.weight,
          bias_of(l, batch.parameters),
          batch.packed + packed_[l].forward(),
          batch.packed + packed_[l].backward(),
          batch.packed + packed_[l].bias(),
          batch.packed + packed_[l].scales(),
          &own.rounded[l]};
}

void Mlp::forward(const Where& where, const Layer::Batch& batch, Rows<const float> x, Rows<float> out,
                  Matrices& own) const {
  batch.products->load(where, batch.rows, x, false, own.x);
  batch.products->place(where, batch.rows, out, own.y.back());
  forward(where, batch, own);
  batch.products->store(where, batch.rows, own.y.back(), out);
}

void Mlp::forward(const Where& where, const Layer::Batch& batch, Matrices& own) const {
  products::Products& products = *batch.products;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const Activation activation = layers_[l].activation;
    const products::Matrix& x = l > 0 ? own.y[l - 1] : own.x;
    if (l + 1 < layers_.size()) products.reserve(where, batch.rows, own.y[l]);
    products::Matrix& y = is_smooth(activation) ? own.smooth[l] : own.y[l];
    if (is_smooth(activation)) products.reserve(where, batch.rows, y);
    products.forward(where, batch.rows, linear(batch, l, own), x, activation == Activation::relu, y);
    if (!is_smooth(activation)) continue;
    activate(where, activation, products.numbers(y, batch.rows), y.numbers, own.y[l].numbers);
    products.written(where, batch.rows, own.y[l]);
  }
}

void Mlp::backward(const Where& where, const Layer::Batch& batch, Rows<const float> upstream,
                   Rows<float> input_gradient, LaneGradients gradient, Matrices& own) const {
  products::Products& products = *batch.products;
  const Activation last = layers_.back().activation;
  products::Matrix& dy = own.dy.back();
  products.load_gradient(where, batch.rows, upstream, last != Activation::none, dy);
  if (is_smooth(last))
    activate_backward(where, last, products.numbers(dy, batch.rows), own.smooth.back().numbers, dy.numbers);
  products.gradient_written(where, batch.rows, last == Activation::relu ? &own.y.back() : nullptr, dy);
  const bool needs_dx = input_gradient.data != nullptr;
  if (needs_dx) products.place(where, batch.rows, input_gradient, own.dx);
  backward(where, batch, needs_dx, gradient, own);
  if (needs_dx) products.store(where, batch.rows, own.dx, input_gradient);
}

void Mlp::backward(const Where& where, const Layer::Batch& batch, bool needs_dx, LaneGradients gradient,
                   Matrices& own) const {
  products::Products& products = *batch.products;
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const LinearLayer& layer = layers_[l];
    const products::Linear linear = this->linear(batch, l, own);
    LaneGradients bias;
    if (layer.bias != LinearLayer::without) bias = gradient.from(layer.bias);
    products.weight_gradient(where, batch.chunks, linear, own.dy[l], l > 0 ? own.y[l - 1] : own.x,
                             {gradient.from(layer.weight), bias});
    if (l == 0) {
      if (needs_dx) products.input_gradient(where, batch.rows, linear, own.dy[0], false, nullptr, own.dx);
      return;
    }
    const Activation before = layers_[l - 1].activation;
    products::Matrix& dx = own.dy[l - 1];
    products.reserve(where, batch.rows, dx);
    const products::Matrix* const mask = before == Activation::relu ? &own.y[l - 1] : nullptr;
    products.input_gradient(where, batch.rows, linear, own.dy[l], !is_smooth(before), mask, dx);
    if (!is_smooth(before)) continue;
    activate_backward(where, before, products.numbers(dx, batch.rows), own.smooth[l - 1].numbers, dx.numbers);
    products.gradient_written(where, batch.rows, nullptr, dx);
  }
}

}  // namespace tesserec::layers
