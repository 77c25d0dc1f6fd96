// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "kernels.hpp"
#include "panels.hpp"
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

Index padded(Index columns) { return panel_count(columns, kernels().width) * kernels().width; }

TESSEREC_KERNEL void add_to(Index n, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

void weight_gradient(const LinearLayer& layer, Index rows, const float* dy, const float* x, bool add, float* dw) {
  const Kernels& k = kernels();
  for (Index i = 0; i < layer.in; i += k.width)  // a panel of x stays in the first cache
    for (Index o = 0; o < layer.out; o += k.width)
      k.weight_gradient({rows, dy + o * rows, x + i * rows, std::min(k.width, layer.out - o),
                         std::min(k.width, layer.in - i), add, dw + o * layer.in + i, layer.in});
}

}  // namespace

void Mlp::pack(const Exec& exec, const float* parameters, bool backward, PackedWeights& packed) const {
  const Index width = kernels().width;
  packed.forward.resize(layers_.size());
  packed.backward.resize(layers_.size());
  packed.biases.resize(layers_.size());
  struct Panel {
    std::size_t layer;
    Index number;
    bool transposed;
  };
  std::vector<Panel> panels;
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    reserve(exec, packed.forward[l], "tesserec::dense::forward_weights", padded(layer.out) * layer.in);
    reserve(exec, packed.biases[l], "tesserec::dense::biases", padded(layer.out));
    float* bias = packed.biases[l].data();
    std::fill(std::copy_n(parameters + layer.bias, layer.out, bias), bias + padded(layer.out), 0.0f);
    for (Index p = 0; p < panel_count(layer.out, width); ++p) panels.push_back({l, p, true});
    if (!backward) continue;
    reserve(exec, packed.backward[l], "tesserec::dense::backward_weights", padded(layer.in) * layer.out);
    for (Index p = 0; p < panel_count(layer.in, width); ++p) panels.push_back({l, p, false});
  }
  parallel_for(exec, "tesserec::dense::pack", static_cast<Index>(panels.size()), [&](Index i) {
    const auto& [l, p, transposed] = panels[i];
    const LinearLayer& layer = layers_[l];
    const float* w = parameters + layer.weight;
    if (transposed)
      pack_transposed(layer.out, layer.in, width, p, w, packed.forward[l].data() + p * width * layer.in);
    else
      dense::pack(layer.out, layer.in, width, p, w, packed.backward[l].data() + p * width * layer.out);
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
  const Kernels& k = kernels();
  to_panels(rows, input_width(), k.width, x, workspace.input.data());
  const float* input = workspace.input.data();
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    float* output = workspace.outputs[l].data();
    for (Index o = 0; o < layer.out; o += k.width)
      k.product({rows, layer.in, input, weights.forward[l].data() + o * layer.in, weights.biases[l].data() + o,
                 output + o * rows, layer.relu ? Finish::relu : Finish::store, nullptr, nullptr});
    input = output;
  }
  from_panels(rows, output_width(), k.width, input, workspace.output.data());
  return workspace.output.data();
}

const float* Mlp::backward(Index rows, const PackedWeights& weights, bool add, float* gradient,
                           bool wants_input_gradient, MlpWorkspace& workspace) const {
  const Kernels& k = kernels();
  float* sums = workspace.bias_sums.data();
  const auto masked_by = [&](std::size_t l) { return layers_[l].relu ? workspace.outputs[l].data() : nullptr; };
  to_panels(rows, output_width(), k.width, workspace.output_gradient.data(), workspace.gradients.back().data());
  mask_and_sum(rows, output_width(), k.width, masked_by(layers_.size() - 1), workspace.gradients.back().data(), sums);

  for (std::size_t l = layers_.size(); l-- > 0;) {
    const LinearLayer& layer = layers_[l];
    const float* dy = workspace.gradients[l].data();
    if (add)
      add_to(layer.out, sums, gradient + layer.bias);
    else
      std::copy_n(sums, layer.out, gradient + layer.bias);
    const float* x = l > 0 ? workspace.outputs[l - 1].data() : workspace.input.data();
    weight_gradient(layer, rows, dy, x, add, gradient + layer.weight);
    if (l == 0 && !wants_input_gradient) return nullptr;

    float* dx = l > 0 ? workspace.gradients[l - 1].data() : workspace.input_gradient_panels.data();
    const float* y = l > 0 ? masked_by(l - 1) : nullptr;
    if (l > 0) std::fill_n(sums, padded(layer.in), 0.0f);
    for (Index i = 0; i < layer.in; i += k.width)
      k.product({rows, layer.out, dy, weights.backward[l].data() + i * layer.out, nullptr, dx + i * rows,
                 l > 0 ? Finish::gradient : Finish::store, y == nullptr ? y : y + i * rows, sums + i});
  }
  from_panels(rows, input_width(), k.width, workspace.input_gradient_panels.data(), workspace.input_gradient.data());
  return workspace.input_gradient.data();
}

}  // namespace tesserec::dense
