// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <tesserec/dense/mlp.hpp>
#include <tesserec/dense/weight_gradient.hpp>

namespace tesserec::dense {
namespace {

TESSEREC_KERNEL void mask_and_sum(Index rows, Index width, const float* y, float* dy, float* sums) {
  for (Index j = 0; j < width; ++j) sums[j] = 0.0f;
  for (Index r = 0; r < rows; ++r) {
    const float* yr = y + r * width;
    float* dyr = dy + r * width;
    for (Index j = 0; j < width; ++j) {
      const float masked = yr[j] > 0.0f ? dyr[j] : 0.0f;
      dyr[j] = masked;
      sums[j] += masked;
    }
  }
}

TESSEREC_KERNEL void sum_columns(Index rows, Index width, const float* dy, float* sums) {
  for (Index j = 0; j < width; ++j) sums[j] = 0.0f;
  for (Index r = 0; r < rows; ++r)
    for (Index j = 0; j < width; ++j) sums[j] += dy[r * width + j];
}

TESSEREC_KERNEL void add_to(Index n, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] += from[i];
}

}  // namespace

void relu_backward(Index rows, Index width, bool relu, const float* y, float* dy, float* sums) {
  if (relu)
    mask_and_sum(rows, width, y, dy, sums);
  else
    sum_columns(rows, width, dy, sums);
}

MlpWorkspace Mlp::make_workspace(const Exec& exec, Index rows) const {
  const auto buffer = [&](Index size) {
    Vector<float> made = make_vector<float>(exec, "tesserec::dense::activations", size);
    std::fill_n(made.data(), size, 0.0f);
    return made;
  };
  MlpWorkspace made;
  Index widest = 0, scratch = 0;
  for (const LinearLayer& layer : layers_) {
    made.outputs.push_back(buffer(rows * layer.out));
    made.gradients.push_back(buffer(rows * layer.out));
    widest = std::max(widest, layer.out);
    scratch = std::max(scratch, weight_gradient_scratch({rows, layer.in, layer.out}));
  }
  made.input_gradient = buffer(rows * input_width());
  made.bias_sums = buffer(widest);
  made.scratch = buffer(scratch);
  return made;
}

const float* Mlp::forward(MatrixProducts& products, Index rows, const float* parameters, const float* x,
                          MlpWorkspace& workspace) const {
  for (std::size_t l = 0; l < layers_.size(); ++l) {
    const LinearLayer& layer = layers_[l];
    float* y = workspace.outputs[l].data();
    products.forward({rows, layer.in, layer.out}, layer.relu, x, parameters + layer.weight,
                     parameters + layer.bias, y);
    x = y;
  }
  return x;
}

const float* Mlp::backward(MatrixProducts& products, Index rows, const float* parameters, const float* x,
                           bool add, float* gradient, bool wants_input_gradient,
                           MlpWorkspace& workspace) const {
  for (std::size_t l = layers_.size(); l-- > 0;) {
    const LinearLayer& layer = layers_[l];
    const LayerShape shape{rows, layer.in, layer.out};
    float* dy = workspace.gradients[l].data();
    float* sums = add ? workspace.bias_sums.data() : gradient + layer.bias;
    relu_backward(rows, layer.out, layer.relu, workspace.outputs[l].data(), dy, sums);
    if (add) add_to(layer.out, sums, gradient + layer.bias);
    weight_gradient(shape, add, dy, l > 0 ? workspace.outputs[l - 1].data() : x, gradient + layer.weight,
                    workspace.scratch.data());
    if (l > 0)
      products.input_gradient(shape, dy, parameters + layer.weight, workspace.gradients[l - 1].data());
    else if (wants_input_gradient)
      products.input_gradient(shape, dy, parameters + layer.weight, workspace.input_gradient.data());
  }
  return wants_input_gradient ? workspace.input_gradient.data() : nullptr;
}

}  // namespace tesserec::dense
