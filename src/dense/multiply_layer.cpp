// SPDX-License-Identifier: Apache-2.0
#include "device_layers.hpp"
#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {
namespace {

TESSEREC_KERNEL void multiply(Index n, const float* a, const float* b, float* to) {
  for (Index i = 0; i < n; ++i) to[i] = a[i] * b[i];
}

class MultiplyLayer final : public Layer {
 public:
  explicit MultiplyLayer(Index width) : width_(width) {}

  Index width() const override { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  Flops flops() const override { return {double(width_), 2 * double(width_), 0}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (Index r = 0; r < chunk.rows; ++r) multiply(width_, chunk.inputs[0][r], chunk.inputs[1][r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (std::size_t n = 0; n < 2; ++n)
      if (input_gradients[n].data != nullptr)
        for (Index r = 0; r < chunk.rows; ++r)
          multiply(width_, upstream[r], chunk.inputs[1 - n][r], input_gradients[n][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return multiply_on_device(); }

 private:
  Index width_;
};

}  // namespace

std::unique_ptr<Layer> make_multiply(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 2) fail("a multiply has two inputs, and not ", inputs.size());
  if (inputs[0].width() != inputs[1].width())
    fail("the inputs of a multiply have one width, but ", inputs[0].name(), " has ", inputs[0].width(), " numbers and ",
         inputs[1].name(), " has ", inputs[1].width());
  return std::make_unique<MultiplyLayer>(inputs[0].width());
}

}  // namespace tesserec::dense
