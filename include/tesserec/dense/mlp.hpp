// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/activation.hpp>
#include <tesserec/dense/layer.hpp>
#include <tesserec/dense/products.hpp>

namespace tesserec::dense {

/// y = f(x w^T + b); where its numbers begin in a flat parameter vector.
struct LinearLayer {
  Index in = 0, out = 0;
  Index weight = 0;  ///< [out, in], row-major
  Index bias = 0;    ///< [out]; `without` = there is none
  Activation activation = Activation::relu;
  static constexpr Index without = -1;
};

/// Chain of linear layers. Its bits depend on the numbers alone, not on the machine or on the other rows of a call.
class Mlp {
 public:
  /// Layers of one neuron stay in fp32, with bf16 too.
  explicit Mlp(std::vector<LinearLayer> layers, Precision precision = Precision::fp32);

  const std::vector<LinearLayer>& layers() const { return layers_; }
  Index input_width() const { return layers_.front().in; }
  Index output_width() const { return layers_.back().out; }
  Precision precision(std::size_t layer) const { return layers_[layer].out > 1 ? precision_ : Precision::fp32; }

  /// Size of a host's packed weights, on a cache line's border: each layer's w^T, w and bias, padded to whole panels.
  Index packed_size() const { return packed_size_; }
  /// Packs them out of the flat parameters; without `backward` for forward passes alone. Of all panels those whose
  /// first weight lies in `part` of the parameters: several ranks may pack together.
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part = everything) const;
  static constexpr Range everything{0, std::numeric_limits<Index>::max()};

  /// Matrices of one Where about a batch, reused.
  struct Workspace {
    Matrix x;                       // of the chain
    std::vector<Matrix> y, smooth;  // of each layer: its output, and what goes into an activation that is smooth
    std::vector<Matrix> dy;         // gradients of the outputs
    Matrix dx;                      // of the chain's input
    std::vector<DeviceProducts::Rounded> rounded;
  };
  Workspace make_workspace() const;

  /// x [rows, in] -> out [rows, out]. Reads the batch's rows, parameters, packed weights and products.
  void forward(const Where& where, const Layer::Batch& batch, Rows<const float> x, Rows<float> out,
               Workspace& own) const;
  /// After that forward. Writes, or adds, each lane's gradient of the parameters, and the input's where it is wanted.
  void backward(const Where& where, const Layer::Batch& batch, Rows<const float> upstream, Rows<float> input_gradient,
                LaneGradients gradient, Workspace& own) const;

  /// The same between matrices: own.x was loaded, and own.y.back() has room. Then own.dy.back() was written, and
  /// own.dx has room where `wanted`.
  void forward(const Where& where, const Layer::Batch& batch, Workspace& own) const;
  void backward(const Where& where, const Layer::Batch& batch, bool wanted, LaneGradients gradient,
                Workspace& own) const;

  /// Layer `l` as products read it.
  Linear linear(const Layer::Batch& batch, std::size_t l, Workspace& own) const;

 private:
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
