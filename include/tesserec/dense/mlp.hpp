// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/activation.hpp>
#include <tesserec/dense/layer.hpp>
#include <tesserec/dense/precision.hpp>

namespace tesserec::dense {

/// y = f(x w^T + b); where its numbers begin in a flat parameter vector.
struct LinearLayer {
  Index in = 0, out = 0;
  Index weight = 0;  ///< [out, in], row-major
  Index bias = 0;    ///< [out]; `without` = there is none
  Activation activation = Activation::relu;
  static constexpr Index without = -1;
};

/// A matrix in bf16 as the products read it: src/dense/kernels.hpp.
struct RoundedPanels {
  Vector<float> across, down;
};

/// Activations of one worker's chunk, reused; those between layers lie in panels (src/dense/README.md).
struct MlpWorkspace {
  Vector<float> input;                   ///< in panels
  std::vector<Vector<float>> outputs;    ///< of each layer, in panels
  std::vector<Vector<float>> smooth;     ///< of each layer, before its activation where that is smooth; in panels
  std::vector<Vector<float>> gradients;  ///< of each layer's output, in panels
  Vector<float> input_gradient_panels;
  Vector<float> bias_sums;  ///< one layer's
  // Operands of products in bf16; empty where there are none.
  RoundedPanels rounded_input;
  std::vector<RoundedPanels> rounded_outputs, rounded_gradients;  ///< of each layer
};

/// Chain of linear layers. Each call takes one chunk, at most the workspace's, on the calling thread alone. Bits depend
/// on the numbers alone, not on the machine or on the other rows.
class Mlp {
 public:
  /// Layers of one neuron stay in fp32, with bf16 too.
  explicit Mlp(std::vector<LinearLayer> layers, Precision precision = Precision::fp32);

  const std::vector<LinearLayer>& layers() const { return layers_; }
  Index input_width() const { return layers_.front().in; }
  Index output_width() const { return layers_.back().out; }

  /// Size of the packed weights, on a cache line's border: each layer's w^T, w and bias, padded to whole panels.
  Index packed_size() const { return packed_size_; }
  /// Packs them out of the flat parameters; without `backward` for forward passes alone. Of all panels those whose
  /// first weight lies in `part` of the parameters: several ranks may pack together.
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part = everything) const;
  static constexpr Range everything{0, std::numeric_limits<Index>::max()};

  /// Buffers for chunks up to `rows` samples; every byte is written once by the caller's thread.
  MlpWorkspace make_workspace(const Exec& exec, Index rows) const;

  void forward(Index rows, const float* packed, Rows<const float> x, Rows<float> out, MlpWorkspace& workspace) const;

  /// After forward of the same chunk, whose output has the gradient `upstream`. Writes (`add`: adds the finished
  /// products of this chunk to) the layers' places in the flat `gradient`, and the input's gradient where it is wanted.
  void backward(Index rows, const float* packed, bool add, float* gradient, Rows<const float> upstream,
                Rows<float> input_gradient, MlpWorkspace& workspace) const;

  /// Rows of a chunk's panels: even in bf16, with a zero row at the chain's input and in its upstream gradient.
  Index height(Index rows) const { return precision_ == Precision::bf16 ? rows + rows % 2 : rows; }
  Precision precision(std::size_t layer) const { return layers_[layer].out > 1 ? precision_ : Precision::fp32; }

  /// Steps of these calls, by layer, on the workspace's panels; callers round the panels of the input or of the last
  /// gradient first. weight_gradient includes the bias, input_gradient its sums and the previous mask.
  void forward(std::size_t layer, Index rows, const float* packed, MlpWorkspace& workspace) const;
  void weight_gradient(std::size_t layer, Index rows, bool add, float* gradient, MlpWorkspace& workspace) const;
  void input_gradient(std::size_t layer, Index rows, const float* packed, MlpWorkspace& workspace) const;
  void round_input(Index rows, MlpWorkspace& workspace) const;
  void round_gradient(std::size_t layer, Index rows, MlpWorkspace& workspace) const;

 private:
  const float* input(std::size_t layer, const MlpWorkspace& workspace) const;
  const RoundedPanels& rounded_input(std::size_t layer, const MlpWorkspace& workspace) const;
  /// Returns the y of a relu: where y <= 0 the gradient is 0; null: nowhere.
  const float* mask(std::size_t layer, const MlpWorkspace& workspace) const;
  /// The gradient of a layer's output, finished but for its activation: through that, and its bias's sums.
  void through_activation(std::size_t layer, Index rows, MlpWorkspace& workspace) const;

  struct Packed {
    Index forward, backward, bias;  // first float of each
  };

  Index depth(std::size_t layer, Index numbers) const { return in_bf16(layer) ? (numbers + 1) / 2 : numbers; }
  bool in_bf16(std::size_t layer) const { return layer < layers_.size() && precision(layer) == Precision::bf16; }

  std::vector<LinearLayer> layers_;
  Precision precision_;
  std::vector<Packed> packed_;  // [layer]
  Index packed_size_ = 0;
};

}  // namespace tesserec::dense
