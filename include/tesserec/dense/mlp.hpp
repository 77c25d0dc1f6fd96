// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <tesserec/core/index.hpp>
#include <tesserec/core/kokkos.hpp>

namespace tesserec::dense {

/// y = x w^T + b, then max(0, y) with `relu`; where its numbers begin in a flat parameter vector.
struct LinearLayer {
  Index in = 0, out = 0;
  Index weight = 0;  ///< [out, in], row-major
  Index bias = 0;    ///< [out]
  bool relu = true;
};

/// An MLP's weights as its products read them: shared by all workers, packed anew when the parameters have moved.
struct PackedWeights {
  std::vector<Vector<float>> forward;   ///< of each layer, w^T in panels
  std::vector<Vector<float>> backward;  ///< of each layer, w in panels
  std::vector<Vector<float>> biases;    ///< of each layer, padded to whole panels
};

/// The activations of one chunk of samples in one worker, used again chunk after chunk. Those between layers lie in
/// panels (src/dense/README.md).
struct MlpWorkspace {
  Vector<float> input;                   ///< in panels
  std::vector<Vector<float>> outputs;    ///< of each layer, in panels
  std::vector<Vector<float>> gradients;  ///< of each layer's output, in panels
  Vector<float> input_gradient_panels;
  Vector<float> bias_sums;        ///< one layer's
  Vector<float> output;           ///< [rows, out], row-major
  Vector<float> output_gradient;  ///< [rows, out], row-major
  Vector<float> input_gradient;   ///< [rows, in], row-major
};

/// A chain of linear layers. Each call takes one chunk of samples, at most the workspace's, and runs on the calling
/// thread alone; `rows` includes the padding. The bits are a function of the numbers: not of the machine, nor of the
/// rows that come along.
class Mlp {
 public:
  explicit Mlp(std::vector<LinearLayer> layers) : layers_(std::move(layers)) {}

  const std::vector<LinearLayer>& layers() const { return layers_; }
  Index input_width() const { return layers_.front().in; }
  Index output_width() const { return layers_.back().out; }

  /// Packs the weights out of the flat parameters; without `backward` for forward passes alone. Of all panels those
  /// whose first weight lies in `part` of the parameters: several ranks may pack together.
  void pack(const Exec& exec, const float* parameters, bool backward, PackedWeights& packed,
            Range part = everything) const;
  static constexpr Range everything{0, std::numeric_limits<Index>::max()};
  /// Packed weights that lie in `memory` [packed_size()], on a cache line's border, and not in their own.
  PackedWeights place(float* memory) const;
  Index packed_size() const;

  /// Buffers for chunks up to `rows` samples; every byte is written once by the caller's thread.
  MlpWorkspace make_workspace(const Exec& exec, Index rows) const;

  /// x [rows, in], row-major; returns workspace.output.
  const float* forward(Index rows, const PackedWeights& weights, const float* x, MlpWorkspace& workspace) const;

  /// After forward of the same chunk; the caller has written the gradient of the output to workspace.output_gradient.
  /// Writes (`add`: adds the finished products of this chunk to) the layers' places in the flat `gradient`; with
  /// `wants_input_gradient` returns the input's gradient [rows, in], else null.
  const float* backward(Index rows, const PackedWeights& weights, bool add, float* gradient, bool wants_input_gradient,
                        MlpWorkspace& workspace) const;

  /// What these consist of, layer by layer, on the workspace's panels. The bias's gradient is part of weight_gradient,
  /// its sums and the mask of the layer before are part of input_gradient.
  void forward(std::size_t layer, Index rows, const PackedWeights& weights, MlpWorkspace& workspace) const;
  void weight_gradient(std::size_t layer, Index rows, bool add, float* gradient, MlpWorkspace& workspace) const;
  void input_gradient(std::size_t layer, Index rows, const PackedWeights& weights, MlpWorkspace& workspace) const;

 private:
  const float* input(std::size_t layer, const MlpWorkspace& workspace) const;
  /// Where y <= 0 the gradient is 0; null: nowhere.
  const float* mask(std::size_t layer, const MlpWorkspace& workspace) const;

  std::vector<LinearLayer> layers_;
};

}  // namespace tesserec::dense
