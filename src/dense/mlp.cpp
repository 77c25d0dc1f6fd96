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
  return rows * output_width <= Index(workspace.output.extent(0));
}

TESSEREC_KERNEL void add_to(Index n, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

PackedWeights Mlp::place(float* memory) const {
  PackedWeights placed;
  const auto next = [&](Index size) {
    const Vector<float> view(memory, size);
    memory += size;
    return view;
  };
  for (const LinearLayer& layer : layers_) {
    placed.forward.push_back(next(padded(layer.out) * layer.in));
    placed.backward.push_back(next(padded(layer.in) * layer.out));
    placed.biases.push_back(next(padded(layer.out)));
  }
  return placed;
}

Index Mlp::packed_size() const {
  Index size = 0;
  for (const LinearLayer& layer : layers_)
    size += padded(layer.out) * layer.in + padded(layer.in) * layer.out + padded(layer.out);
  return size;
}

void Mlp::pack(const Exec& exec, const float* parameters, bool backward, PackedWeights& packed, Range part) const {
  const Index width = kernels().width;
  packed.forward.resize(layers_.size());
  packed.backward.resize(layers_.size());
  packed.biases.resize(layers_.size());
  struct Panel {
    std::size_t layer;
    Index number;
  };
  std::vector<Panel> panels;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    reserve(exec, packed.forward[l], "tesserec::dense::forward_weights", padded(layer.out) * layer.in);
    reserve(exec, packed.biases[l], "tesserec::dense::biases", padded(layer.out));
    if (backward) reserve(exec, packed.backward[l], "tesserec::dense::backward_weights", padded(layer.in) * layer.out);
    for (Index p = 0; p < panel_count(layer.out, width); ++p)
      if (part.contains(layer.weight + p * width * layer.in)) panels.push_back({l, p});
  }
  parallel_for(exec, "tesserec::dense::pack", std::ssize(panels), [&](Index i) {
    const auto& [l, p] = panels[i];
    const LinearLayer& layer = layers_[l];
    kernels().pack_rows(layer.out, layer.in, p, parameters + layer.weight, packed.forward[l].data(),
                        backward ? packed.backward[l].data() : nullptr);
    const Index begin = p * width, end = std::min(begin + width, layer.out);
    float* bias = packed.biases[l].data();
    std::fill(std::copy(parameters + layer.bias + begin, parameters + layer.bias + end, bias + begin),
              bias + begin + width, 0.0f);
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
  made.output = buffer(rows * output_width());
  made.output_gradient = buffer(rows * output_width());
  made.input_gradient = buffer(rows * input_width());
  return made;
}

const float* Mlp::forward(Index rows, const PackedWeights& weights, const float* x, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const Index width = kernels().width;
  to_panels(rows, input_width(), width, x, workspace.input.data());
  for (std::size_t l = 0; l < layers_.size(); ++l) forward(l, rows, weights, workspace);
  from_panels(rows, output_width(), width, workspace.outputs.back().data(), workspace.output.data());
  return workspace.output.data();
}

const float* Mlp::backward(Index rows, const PackedWeights& weights, bool add, float* gradient,
                           bool wants_input_gradient, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const Index width = kernels().width;
  float* dy = workspace.gradients.back().data();
  to_panels(rows, output_width(), width, workspace.output_gradient.data(), dy);
  mask_and_sum(rows, output_width(), width, mask(layers_.size() - 1, workspace), dy, workspace.bias_sums.data());
  for (std::size_t l = layers_.size(); l-- > 0;) {
    weight_gradient(l, rows, add, gradient, workspace);
    if (l > 0 || wants_input_gradient) input_gradient(l, rows, weights, workspace);
  }
  if (!wants_input_gradient) return nullptr;
  from_panels(rows, input_width(), width, workspace.input_gradient_panels.data(), workspace.input_gradient.data());
  return workspace.input_gradient.data();
}

void Mlp::forward(std::size_t l, Index rows, const PackedWeights& weights, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  Product p;
  p.rows = p.a_rows = rows, p.depth = layer.in, p.panels = panel_count(layer.out, kernels().width);
  p.a = input(l, workspace), p.b = weights.forward[l].data(), p.start = weights.biases[l].data();
  p.c = workspace.outputs[l].data();
  p.finish = layer.relu ? Finish::relu : Finish::store;
  kernels().product(p);
}

void Mlp::weight_gradient(std::size_t l, Index rows, bool add, float* gradient, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  if (add)
    add_to(layer.out, workspace.bias_sums.data(), gradient + layer.bias);
  else
    std::copy_n(workspace.bias_sums.data(), layer.out, gradient + layer.bias);
  kernels().weight_gradient(
      {rows, layer.out, layer.in, workspace.gradients[l].data(), input(l, workspace), add, gradient + layer.weight});
}

void Mlp::input_gradient(std::size_t l, Index rows, const PackedWeights& weights, MlpWorkspace& workspace) const {
  assert(has_room(workspace, rows, output_width()));
  const LinearLayer& layer = layers_[l];
  Product p;
  p.rows = p.a_rows = rows, p.depth = layer.out, p.panels = panel_count(layer.in, kernels().width);
  p.a = workspace.gradients[l].data(), p.b = weights.backward[l].data();
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
