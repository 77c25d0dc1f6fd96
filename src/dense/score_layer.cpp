// SPDX-License-Identifier: Apache-2.0
// The inner product of two vectors, as two towers are scored.
#include "device_layers.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>

namespace tesserec::dense {
namespace {

class ScoreLayer final : public Layer {
 public:
  explicit ScoreLayer(Index dim) : dim_(dim) {}

  Index width() const override { return 1; }
  std::string describe() const override { return "of vectors of " + std::to_string(dim_); }
  Flops flops() const override { return {2.0 * double(dim_), 2.0 * double(dim_), 0}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (Index r = 0; r < chunk.rows; ++r) *out[r] = inner_product(dim_, chunk.inputs[0][r], chunk.inputs[1][r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (std::size_t n = 0; n < 2; ++n)
      if (input_gradients[n].data != nullptr)
        for (Index r = 0; r < chunk.rows; ++r) scale(dim_, *upstream[r], chunk.inputs[1 - n][r], input_gradients[n][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return score_on_device(); }

 private:
  Index dim_;
};

}  // namespace

std::unique_ptr<Layer> make_score(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 2) fail("a score has two inputs, and not ", inputs.size());
  if (inputs[0].width() != inputs[1].width())
    fail("the inputs of a score have one width, but ", inputs[0].name(), " has ", inputs[0].width(), " numbers and ",
         inputs[1].name(), " has ", inputs[1].width());
  return std::make_unique<ScoreLayer>(inputs[0].width());
}

}  // namespace tesserec::dense
