// SPDX-License-Identifier: Apache-2.0
#include "device_layers.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::dense {
namespace {

class SumLayer final : public Layer {
 public:
  SumLayer(Index width, double inputs) : width_(width), inputs_(inputs) {}

  Index width() const override { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  Flops flops() const override { return {(inputs_ - 1) * double(width_), 0, 0}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    copy_rows(chunk.rows, chunk.inputs[0], out);
    for (const Rows<const float>& input : chunk.inputs.subspan(1))
      for (Index r = 0; r < chunk.rows; ++r) dense::add(width_, input[r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (const Rows<float>& gradient : input_gradients)
      if (gradient.data != nullptr) copy_rows(chunk.rows, upstream, gradient);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return sum_on_device(); }

 private:
  Index width_;
  double inputs_;
};

}  // namespace

std::unique_ptr<Layer> make_sum(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.empty()) fail("a sum has at least one input");
  for (const InputShape& input : inputs)
    if (input.width() != inputs[0].width())
      fail("the inputs of a sum have one width, but ", inputs[0].name(), " has ", inputs[0].width(), " numbers and ",
           input.name(), " has ", input.width());
  return std::make_unique<SumLayer>(inputs[0].width(), double(inputs.size()));
}

}  // namespace tesserec::dense
