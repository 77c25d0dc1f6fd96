// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cassert>

#include "kernels.hpp"
#include "panels.hpp"
#include <tesserec/core/kernel.hpp>
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

Index padded(Index columns) { return panel_count(columns, kernels().width) * kernels().width; }

/// All its buffers are made for the same rows.
[[maybe_unused]] bool has_room(const MlpWorkspace& workspace, Index rows, Index output_width) {
  return rows * output_width <= Index(workspace.outputs.back().extent(0));
}

TESSEREC_KERNEL void add_to(Index n, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

Mlp::Mlp(std::vector<LinearLayer> layers) : layers_(std::move(layers)) {
  for (const LinearLayer& layer : layers_) {
    const Index forward = packed_size_, backward = forward + padded(layer.out) * layer.in,
                bias = backward + padded(layer.in) * layer.out;
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
    kernels().pack_rows(layer.out, layer.in, p, parameters + layer.weight, packed + packed_[l].forward,
                        backward ? packed + packed_[l].backward : nullptr);
    const Index begin = p * width, end = std::min(begin + width, layer.out);
    float* const bias = packed + packed_[l].bias;
    std::fill(bias + begin, bias + begin + width, 0.0f);
    if (layer.bias != LinearLayer::without)
      std::copy(parameters + layer.bias + begin, parameters + layer.bias + end, bias + begin);
  });
}

MlpWorkspace Mlp::make_workspace(const Exec& exec, Index rows) const {
  const auto buffer = [&](Index size) {
    Vector<float> made = make_vector<float>(exec, "tesserec::dense::activations", size);
    std::fill_n(made.data(), size, 0.0f);
    return made;
  };
  MlpWorkspace made;
  Index widest = 0;
  for (const LinearLayer& layer : layers_) {
    made.outputs.push_back(buffer(rows * padded(layer.out)));
    made.gradients.push_back(buffer(rows * padded(layer.out)));
    widest = std::max(widest, padded(layer.out));
  }
  made.input = buffer(rows * padded(input_width()));
  made.input_gradient_panels = buffer(rows * padded(input_width()));
  made.bias_sums = buffer(widest);
  return made;
}

void Mlp::forward(Index rows, const float* packed, Rows<const float> x, Rows<float> out,
                  MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()) && x.width == input_width() && out.width == output_width());
  const Index width = kernels().width;
  to_panels(rows, width, x, workspace.input.data());
  for (std::size_t l = 0; l < layers_.size(); ++l) forward(l, rows, packed, workspace);
  from_panels(rows, width, workspace.outputs.back().data(), out);
}

void Mlp::backward(Index rows, const float* packed, bool add, float* gradient, Rows<const float> upstream,
                   Rows<float> input_gradient, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const Index width = kernels().width;
  float* dy = workspace.gradients.back().data();
  to_panels(rows, width, upstream, dy);
  mask_and_sum(rows, output_width(), width, mask(layers_.size() - 1, workspace), dy, workspace.bias_sums.data());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    weight_gradient(l, rows, add, gradient, workspace);
    if (l > 0 || input_gradient.data != nullptr) this->input_gradient(l, rows, packed, workspace);
  }
  if (input_gradient.data != nullptr) from_panels(rows, width, workspace.input_gradient_panels.data(), input_gradient);
}

void Mlp::forward(std::size_t l, Index rows, const float* packed, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  Product p;
  p.rows = p.a_rows = rows, p.depth = layer.in, p.panels = panel_count(layer.out, kernels().width);
  p.a = input(l, workspace), p.b = packed + packed_[l].forward, p.start = packed + packed_[l].bias;
  p.c = workspace.outputs[l].data();
  p.finish = layer.relu ? Finish::relu : Finish::store;
  kernels().product(p);
}

void Mlp::weight_gradient(std::size_t l, Index rows, bool add, float* gradient, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  if (layer.bias != LinearLayer::without && add) add_to(layer.out, workspace.bias_sums.data(), gradient + layer.bias);
  if (layer.bias != LinearLayer::without && !add)
    std::copy_n(workspace.bias_sums.data(), layer.out, gradient + layer.bias);
  kernels().weight_gradient(
      {rows, layer.out, layer.in, workspace.gradients[l].data(), input(l, workspace), add, gradient + layer.weight});
}

void Mlp::input_gradient(std::size_t l, Index rows, const float* packed, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  Product p;
  p.rows = p.a_rows = rows, p.depth = layer.out, p.panels = panel_count(layer.in, kernels().width);
  p.a = workspace.gradients[l].data(), p.b = packed + packed_[l].backward;
  p.c = workspace.input_gradient_panels.data();
  if (l > 0) {  // the gradient of the layer before, whose bias sums are due
    p.c = workspace.gradients[l - 1].data();
    p.finish = Finish::gradient, p.y = mask(l - 1, workspace), p.sums = workspace.bias_sums.data();
    std::fill_n(p.sums, padded(layer.in), 0.0f);
  }
  kernels().product(p);
}

const float* Mlp::input(std::size_t l, const MlpWorkspace& workspace) const {
  return l > 0 ? workspace.outputs[l - 1].data() : workspace.input.data();
}

const float* Mlp::mask(std::size_t l, const MlpWorkspace& workspace) const {
  return layers_[l].relu ? workspace.outputs[l].data() : nullptr;
}

}  // namespace tesserec::dense
