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

/// Linear layer y = f(x w^T + b), with the offsets of its tensors in a flat parameter vector.
struct LinearLayer {
  Index in = 0, out = 0;
  Index weight = 0;  ///< offset of the weight [out, in] row-major
  Index bias = 0;    ///< offset of the bias [out]; `without` = no bias
  Activation activation = Activation::relu;
  static constexpr Index without = -1;
};

/// Chain of linear layers. The result's bits depend on the operands alone, neither on the machine nor on the other rows
/// of a call.
class Mlp {
 public:
  /// Takes the layers in order. Layers of one neuron multiply in fp32 at every precision, as do layers of more than
  /// most_codes inputs in int8. `packed_begin` is the chain's
  /// first float in a buffer of packed weights.
  explicit Mlp(std::vector<LinearLayer> layers, products::Precision precision = products::Precision::fp32,
               Index packed_begin = 0);

  const std::vector<LinearLayer>& layers() const { return layers_; }
  Index input_width() const { return layers_.front().in; }
  Index output_width() const { return layers_.back().out; }
  /// Returns the precision in which layer `layer` multiplies.
  products::Precision precision(std::size_t layer) const {
    if (precision_ == products::Precision::int8 && layers_[layer].in > products::most_codes)
      return products::Precision::fp32;
    return layers_[layer].out > 1 ? precision_ : products::Precision::fp32;
  }

  /// Returns the FLOPs of `chains` such chains, of which `first` read the input of the layer that they make up.
  Flops flops(double chains = 1, double first = 1) const;

  /// Returns the end of a host's packed weights: each layer's w^T, w and bias, padded to whole panels.
  Index packed_end() const { return packed_.back().end(); }
  /// Packs the flat parameters for a host's products. Without `backward` it packs only for forward(). Several ranks may
  /// pack together: `range` selects the panels whose first weight lies in it.
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range range = everything) const;
  static constexpr Range everything{0, std::numeric_limits<Index>::max()};

  /// Reusable matrices of a batch at one Where.
  struct Matrices {
    products::Matrix x;  // input of the chain
    std::vector<products::Matrix> y,
        smooth;                        // [layer] outputs, and the inputs of smooth activations
    std::vector<products::Matrix> dy;  // [layer] gradients of the outputs
    products::Matrix dx;               // gradient of the chain's input
    std::vector<products::DeviceProducts::Rounded> rounded;
  };
  /// Makes matrices of the layers' widths, without memory.
  Matrices make_matrices() const;

  /// Computes `out` [rows, out] from `x` [rows, in]. Reads rows, parameters, packed weights and products of `batch`.
  void forward(const Where& where, const Layer::Batch& batch, Rows<const float> x, Rows<float> out,
               Matrices& own) const;
  /// Computes gradients after the forward() above. Writes or adds to each lane's gradient of the parameters. Writes the
  /// input's gradient if its data is not null.
  void backward(const Where& where, const Layer::Batch& batch, Rows<const float> upstream, Rows<float> input_gradient,
                LaneGradients gradient, Matrices& own) const;

  /// Computes the outputs between matrices. `own.x` must be loaded and `own.y.back()` must have storage.
  void forward(const Where& where, const Layer::Batch& batch, Matrices& own) const;
  /// Computes gradients after the forward() above. `own.dy.back()` must be written. If `needs_dx`, `own.dx` must have
  /// storage.
  void backward(const Where& where, const Layer::Batch& batch, bool needs_dx, LaneGradients gradient,
                Matrices& own) const;

  /// Returns layer `l` in the form that products read.
  products::Linear linear(const Layer::Batch& batch, std::size_t l, Matrices& own) const;

 private:
  const float* bias_of(std::size_t layer, const float* parameters) const {
    return layers_[layer].bias == LinearLayer::without ? nullptr : parameters + layers_[layer].bias;
  }
  /// Returns the precision in which products read the input of layer `layer`; fp32 behind the last layer.
  products::Precision read_in(std::size_t layer) const {
    return layer < layers_.size() ? precision(layer) : products::Precision::fp32;
  }

  std::vector<LinearLayer> layers_;
  products::Precision precision_;
  std::vector<products::PackedLinear> packed_;  // [layer]
};

}  // namespace tesserec::layers
