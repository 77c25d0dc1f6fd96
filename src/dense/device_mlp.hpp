// SPDX-License-Identifier: Apache-2.0
/// A chain of linear layers over a whole batch in device memory: Mlp there.
#pragma once

#include <vector>

#include <tesserec/core/kokkos.hpp>
#include <tesserec/dense/device_products.hpp>
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {

class DeviceMlp {
 public:
  /// `products` outlive it.
  DeviceMlp(std::vector<LinearLayer> layers, DeviceProducts& products)
      : layers_(std::move(layers)),
        products_(products),
        outputs_(layers_.size()),
        smooth_(layers_.size()),
        rounded_(layers_.size()) {}

  /// x [rows, in] -> out [rows, out]; keeps the layers' activations.
  void forward(const Device& device, Index rows, const float* parameters, Rows<const float> x, Rows<float> out);
  /// Numbers of a forward pass.
  struct Forward {
    Index rows;
    const float* parameters;
    Rows<const float> x, out;
  };
  /// After that forward pass. Writes each lane's gradient of the parameters, and the input's where it is wanted.
  void backward(const Device& device, const Forward& of, const Pieces& pieces, Rows<const float> upstream,
                Rows<float> input_gradient, LaneGradients gradient);

 private:
  Rows<float> output(std::size_t layer) const {
    return {outputs_[layer].data(), layers_[layer].out, layers_[layer].out};
  }

  std::vector<LinearLayer> layers_;
  DeviceProducts& products_;
  std::vector<DeviceVector<float>> outputs_;  // of each layer but the last
  std::vector<DeviceVector<float>> smooth_;   // of each layer, before its activation where that is smooth
  std::vector<DeviceProducts::Rounded> rounded_;
  DeviceVector<float> gradients_[2];  // of a layer's output, and of the one before
};

}  // namespace tesserec::dense
