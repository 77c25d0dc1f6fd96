// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "kernels.hpp"
#include "panels.hpp"
#include "vectors.hpp"
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

Index padded(Index columns) { return panel_count(columns, kernels().width) * kernels().width; }

const Products& products(Precision precision) { return precision == Precision::bf16 ? kernels().bf16 : kernels().fp32; }

Words words(const RoundedPanels& panels) { return {panels.across.data(), panels.down.data()}; }

void round(Index rows, Index columns, const Vector<float>& from, const RoundedPanels& to) {
  kernels().round(rows, panel_count(columns, kernels().width), from.data(), words(to));
}

/// All its buffers are made for the same rows.
[[maybe_unused]] bool has_room(const MlpWorkspace& workspace, Index rows, Index output_width) {
  return rows * output_width <= Index(workspace.outputs.back().extent(0));
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
    products(precision(l))
        .pack_rows(layer.out, layer.in, p, parameters + layer.weight, packed + packed_[l].forward,
                   backward ? packed + packed_[l].backward : nullptr);
    const Index begin = p * width, end = std::min(begin + width, layer.out);
    float* const bias = packed + packed_[l].bias;
    std::fill(bias + begin, bias + begin + width, 0.0f);
    if (layer.bias != LinearLayer::without)
      std::copy(parameters + layer.bias + begin, parameters + layer.bias + end, bias + begin);
  });
}

MlpWorkspace Mlp::make_workspace(const Exec& exec, Index samples) const {
  const Index rows = height(samples);
  const auto buffer = [&](Index size) {
    Vector<float> made = make_vector<float>(exec, "tesserec::dense::activations", size);
    std::fill_n(made.data(), size, 0.0f);
    return made;
  };
  MlpWorkspace made;
  const auto rounded = [&](bool wanted, Index columns) {
    const Index size = wanted ? rows / 2 * padded(columns) : 0, whole = rows * padded((columns + 1) / 2);
    return RoundedPanels{buffer(wanted ? whole : 0), buffer(size)};
  };
  Index widest = 0;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    made.rounded_outputs.push_back(rounded(in_bf16(l + 1), layer.out));
    made.rounded_gradients.push_back(rounded(in_bf16(l), layer.out));
    made.outputs.push_back(buffer(rows * padded(layer.out)));
    made.smooth.push_back(buffer(is_smooth(layer.activation) ? rows * padded(layer.out) : 0));
    made.gradients.push_back(buffer(rows * padded(layer.out)));
    widest = std::max(widest, padded(layer.out));
  }
  made.input = buffer(rows * padded(input_width()));
  made.rounded_input = rounded(in_bf16(0), input_width());
  made.input_gradient_panels = buffer(rows * padded(input_width()));
  made.bias_sums = buffer(widest);
  return made;
}

void Mlp::forward(Index rows, const float* packed, Rows<const float> x, Rows<float> out,
                  MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()) && x.width == input_width() && out.width == output_width());
  const Index width = kernels().width;
  to_panels(rows, height(rows), width, x, workspace.input.data());
  round_input(rows, workspace);
  for (std::size_t l = 0; l < layers_.size(); ++l) forward(l, rows, packed, workspace);
  from_panels(rows, height(rows), width, workspace.outputs.back().data(), out);
}

void Mlp::backward(Index rows, const float* packed, bool add, float* gradient, Rows<const float> upstream,
                   Rows<float> input_gradient, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const Index width = kernels().width;
  to_panels(rows, height(rows), width, upstream, workspace.gradients.back().data());
  through_activation(layers_.size() - 1, rows, workspace);
  for (std::size_t l = layers_.size(); l-- > 0;) {
    weight_gradient(l, rows, add, gradient, workspace);
    if (l > 0 || input_gradient.data != nullptr) this->input_gradient(l, rows, packed, workspace);
  }
  if (input_gradient.data != nullptr)
    from_panels(rows, height(rows), width, workspace.input_gradient_panels.data(), input_gradient);
}

void Mlp::forward(std::size_t l, Index rows, const float* packed, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  Product p;
  p.rows = p.a_rows = height(rows);
  p.depth = depth(l, layer.in);
  p.columns = layer.out;
  p.a = in_bf16(l) ? rounded_input(l, workspace).across.data() : input(l, workspace);
  p.b = packed + packed_[l].forward;
  p.start = packed + packed_[l].bias;
  const bool smooth = is_smooth(layer.activation);
  p.c = smooth ? workspace.smooth[l].data() : workspace.outputs[l].data();
  p.finish = layer.activation == Activation::relu ? Finish::relu : Finish::store;
  const bool at_once = in_bf16(l) && in_bf16(l + 1) && !smooth;
  if (at_once) p.rounded = words(workspace.rounded_outputs[l]);
  products(precision(l)).product(p);
  if (smooth) activate(layer.activation, p.rows * padded(layer.out), p.c, workspace.outputs[l].data());
  if (in_bf16(l + 1) && !at_once) round(p.rows, layer.out, workspace.outputs[l], workspace.rounded_outputs[l]);
}

void Mlp::weight_gradient(std::size_t l, Index rows, bool add, float* gradient, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  if (layer.bias != LinearLayer::without && add)
    dense::add(layer.out, workspace.bias_sums.data(), gradient + layer.bias);
  if (layer.bias != LinearLayer::without && !add)
    std::copy_n(workspace.bias_sums.data(), layer.out, gradient + layer.bias);
  WeightGradient p{height(rows),           layer.out, layer.in, workspace.gradients[l].data(), input(l, workspace), add,
                   gradient + layer.weight};
  if (in_bf16(l)) {
    p.rows /= 2;
    p.dy = workspace.rounded_gradients[l].down.data();
    p.x = rounded_input(l, workspace).down.data();
  }
  products(precision(l)).weight_gradient(p);
}

void Mlp::input_gradient(std::size_t l, Index rows, const float* packed, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  Product p;
  p.rows = p.a_rows = height(rows);
  p.depth = depth(l, layer.out);
  p.columns = layer.in;
  p.a = in_bf16(l) ? workspace.rounded_gradients[l].across.data() : workspace.gradients[l].data();
  p.b = packed + packed_[l].backward;
  p.c = workspace.input_gradient_panels.data();
  if (l > 0) p.c = workspace.gradients[l - 1].data();
  const bool smooth = l > 0 && is_smooth(layers_[l - 1].activation);
  if (l > 0 && !smooth) {  // the gradient of the layer before, whose bias sums are due
    p.finish = Finish::gradient;
    p.y = mask(l - 1, workspace);
    p.sums = workspace.bias_sums.data();
    std::fill_n(p.sums, padded(layer.in), 0.0f);
  }
  const bool at_once = in_bf16(l) && l > 0 && in_bf16(l - 1) && !smooth;
  if (at_once) p.rounded = words(workspace.rounded_gradients[l - 1]);
  products(precision(l)).product(p);
  if (smooth) through_activation(l - 1, rows, workspace);
  if (l > 0 && !smooth && !at_once) round_gradient(l - 1, rows, workspace);
}

void Mlp::through_activation(std::size_t l, Index rows, MlpWorkspace& workspace) const {
  const LinearLayer& layer = layers_[l];
  float* const dy = workspace.gradients[l].data();
  if (is_smooth(layer.activation))
    activate_back(layer.activation, height(rows) * padded(layer.out), workspace.smooth[l].data(), dy);
  mask_and_sum(height(rows), layer.out, kernels().width, mask(l, workspace), dy, workspace.bias_sums.data());
  round_gradient(l, rows, workspace);
}

void Mlp::round_input(Index rows, MlpWorkspace& workspace) const {
  if (in_bf16(0)) round(height(rows), input_width(), workspace.input, workspace.rounded_input);
}

void Mlp::round_gradient(std::size_t l, Index rows, MlpWorkspace& workspace) const {
  if (in_bf16(l)) round(height(rows), layers_[l].out, workspace.gradients[l], workspace.rounded_gradients[l]);
}

const float* Mlp::input(std::size_t l, const MlpWorkspace& workspace) const {
  return l > 0 ? workspace.outputs[l - 1].data() : workspace.input.data();
}

const RoundedPanels& Mlp::rounded_input(std::size_t l, const MlpWorkspace& workspace) const {
  return l > 0 ? workspace.rounded_outputs[l - 1] : workspace.rounded_input;
}

const float* Mlp::mask(std::size_t l, const MlpWorkspace& workspace) const {
  return layers_[l].activation == Activation::relu ? workspace.outputs[l].data() : nullptr;
}

}  // namespace tesserec::dense
