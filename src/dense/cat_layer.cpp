// SPDX-License-Identifier: Apache-2.0
#include "device_layers.hpp"
#include "layers.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::dense {
namespace {

class CatLayer final : public Layer {
 public:
  explicit CatLayer(Index width) : width_(width) {}

  Index width() const override { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  Flops flops() const override { return {}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (const Rows<const float>& input : chunk.inputs) {
      copy_rows(chunk.rows, input, {out.data, input.width, out.stride});
      out.data += input.width;
    }
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (const Rows<float>& gradient : input_gradients) {
      if (gradient.data != nullptr) copy_rows(chunk.rows, {upstream.data, gradient.width, upstream.stride}, gradient);
      upstream.data += gradient.width;
    }
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return cat_on_device(); }

 private:
  Index width_;
};

}  // namespace

std::unique_ptr<Layer> make_cat(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.empty()) fail("a cat has at least one input");
  Index width = 0;
  for (const InputShape& input : inputs) width += input.width();
  return std::make_unique<CatLayer>(width);
}

}  // namespace tesserec::dense
