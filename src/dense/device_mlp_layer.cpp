// SPDX-License-Identifier: Apache-2.0
#include "device_layers.hpp"
#include "device_mlp.hpp"

namespace tesserec::dense {
namespace {

class MlpOnDevice final : public DeviceLayer {
 public:
  MlpOnDevice(const std::vector<LinearLayer>& layers, DeviceProducts& products) : mlp_(layers, products) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    mlp_.forward(device, batch.rows, batch.parameters, batch.inputs[0], out);
  }
  void backward(const Device& device, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    mlp_.backward(device, {batch.rows, batch.parameters, batch.inputs[0], out}, batch.chunks, upstream,
                  input_gradients[0], gradient);
  }

 private:
  DeviceMlp mlp_;
};

}  // namespace

std::unique_ptr<DeviceLayer> mlp_on_device(const std::vector<LinearLayer>& layers, DeviceProducts& products) {
  return std::make_unique<MlpOnDevice>(layers, products);
}

}  // namespace tesserec::dense
