// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/matrix_library.hpp>

namespace tesserec::dense {

/// y = x w^T + b, then max(0, y) with `relu`; where its numbers begin in a flat parameter vector.
struct LinearLayer {
  Index in = 0, out = 0;
  Index weight = 0;  ///< [out, in], row-major
  Index bias = 0;    ///< [out]
  bool relu = true;
};

/// The activations of one chunk of samples in one worker, used again chunk after chunk.
struct MlpWorkspace {
  std::vector<Vector<float>> outputs;    ///< of each layer, [rows, out]
  std::vector<Vector<float>> gradients;  ///< of each layer's output, [rows, out]
  Vector<float> input_gradient;          ///< [rows, in] of the first layer
  Vector<float> bias_sums;               ///< one layer's column sums
  Vector<float> scratch;                 ///< of the weight gradients
};

/// A chain of linear layers. Each call takes one chunk of samples; `rows` includes the padding.
class Mlp {
 public:
  explicit Mlp(std::vector<LinearLayer> layers) : layers_(std::move(layers)) {}

  const std::vector<LinearLayer>& layers() const { return layers_; }
  Index input_width() const { return layers_.front().in; }
  Index output_width() const { return layers_.back().out; }

  /// Buffers for chunks up to `rows` samples; every byte is written once by the caller's thread.
  MlpWorkspace make_workspace(const Exec& exec, Index rows) const;

  /// Writes workspace.outputs and returns the last of them.
  const float* forward(MatrixProducts& products, Index rows, const float* parameters, const float* x,
                       MlpWorkspace& workspace) const;

  /// The caller has written the gradient of the output to workspace.gradients.back(). Writes (`add`: adds the
  /// finished products of this chunk to) the layers' places in the flat `gradient`; with
  /// `wants_input_gradient` returns the input's gradient, else null.
  const float* backward(MatrixProducts& products, Index rows, const float* parameters, const float* x,
                        bool add, float* gradient, bool wants_input_gradient, MlpWorkspace& workspace) const;

 private:
  std::vector<LinearLayer> layers_;
};

/// dy = y > 0 ? dy : 0 with `relu`, and sums[j] = sum of dy over the rows in order, from +0. [rows, width]
void relu_backward(Index rows, Index width, bool relu, const float* y, float* dy, float* sums);

}  // namespace tesserec::dense
