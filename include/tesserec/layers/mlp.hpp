// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <limits>
#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/layers/activation.hpp>
#include <tesserec/layers/layer.hpp>
#include <tesserec/products/packed_linear.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::layers {

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
  explicit Mlp(std::vector<LinearLayer> layers, products::Precision precision = products::Precision::fp32);

  const std::vector<LinearLayer>& layers() const { return layers_; }
  Index input_width() const { return layers_.front().in; }
  Index output_width() const { return layers_.back().out; }
  products::Precision precision(std::size_t layer) const {
    return layers_[layer].out > 1 ? precision_ : products::Precision::fp32;
  }

  /// Size of a host's packed weights, on a cache line's border: each layer's w^T, w and bias, padded to whole panels.
  Index packed_size() const { return packed_.empty() ? 0 : packed_.back().end(); }
  /// Packs them out of the flat parameters; without `backward` for forward passes alone. Of all panels those whose
  /// first weight lies in `part` of the parameters: several ranks may pack together.
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part = everything) const;
  static constexpr Range everything{0, std::numeric_limits<Index>::max()};

  /// Matrices of one Where about a batch, reused.
  struct Matrices {
    products::Matrix x;  // of the chain
    std::vector<products::Matrix> y,
        smooth;                        // of each layer: its output, and what goes into an activation that is smooth
    std::vector<products::Matrix> dy;  // gradients of the outputs
    products::Matrix dx;               // of the chain's input
    std::vector<products::DeviceProducts::Rounded> rounded;
  };
  Matrices make_matrices() const;

  /// x [rows, in] -> out [rows, out]. Reads the batch's rows, parameters, packed weights and products.
  void forward(const Where& where, const Layer::Batch& batch, Rows<const float> x, Rows<float> out,
               Matrices& own) const;
  /// After that forward. Writes, or adds, each lane's gradient of the parameters, and the input's where it is wanted.
  void backward(const Where& where, const Layer::Batch& batch, Rows<const float> upstream, Rows<float> input_gradient,
                LaneGradients gradient, Matrices& own) const;

  /// The same between matrices: own.x was loaded, and own.y.back() has room. Then own.dy.back() was written, and
  /// own.dx has room where `wanted`.
  void forward(const Where& where, const Layer::Batch& batch, Matrices& own) const;
  void backward(const Where& where, const Layer::Batch& batch, bool wanted, LaneGradients gradient,
                Matrices& own) const;

  /// Layer `l` as products read it.
  products::Linear linear(const Layer::Batch& batch, std::size_t l, Matrices& own) const;

 private:
  const float* bias_of(std::size_t layer, const float* parameters) const {
    return layers_[layer].bias == LinearLayer::without ? nullptr : parameters + layers_[layer].bias;
  }
  bool in_bf16(std::size_t layer) const {
    return layer < layers_.size() && precision(layer) == products::Precision::bf16;
  }

  std::vector<LinearLayer> layers_;
  products::Precision precision_;
  std::vector<products::PackedLinear> packed_;  // [layer]
};

}  // namespace tesserec::layers
