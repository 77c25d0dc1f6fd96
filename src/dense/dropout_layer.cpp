// SPDX-License-Identifier: Apache-2.0
// Dropout (Srivastava et al., JMLR 15, 2014), in training alone: each number is 0 with probability `rate`, else divided
// by 1 - rate. Which ones is a function of the seed, the layer, the step and the sample's place in the global batch.
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

/// draws in [-1, 1) -> factors
TESSEREC_KERNEL void keep(Index n, Kept kept, float* draws) {
  for (Index i = 0; i < n; ++i) draws[i] = kept.factor(draws[i]);
}
TESSEREC_KERNEL void multiply(Index n, const float* factors, const float* from, float* to) {
  for (Index i = 0; i < n; ++i) to[i] = factors[i] * from[i];
}

class Dropout final : public Layer {
 public:
  Dropout(Index width, double rate) : width_(width), rate_(rate) {}

  Index width() const override { return width_; }
  std::string describe() const override { return concat(width_, " wide, rate ", rate_); }
  Flops flops() const override { return {double(width_), double(width_), 0}; }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace(const Exec&, Index rows) const override {
    auto made = std::make_unique<Factors>();
    made->factors.resize(rows * width_);
    return made;
  }
  void forward(const Chunk& chunk, Rows<float> out) const override {
    if (!chunk.draw.training) return copy_rows(chunk.rows, chunk.inputs[0], out);
    float* const factors = this->factors(chunk);
    const Index first = first_draw(chunk.draw);
    Random(chunk.draw.seed, Purpose::dropout, chunk.draw.layer)
        .fill_rows({first, first + chunk.rows}, {0, width_}, 1.0f, factors);
    keep(chunk.rows * width_, Kept(rate_), factors);
    for (Index r = 0; r < chunk.rows; ++r) multiply(width_, factors + r * width_, chunk.inputs[0][r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    if (input_gradients[0].data == nullptr) return;
    for (Index r = 0; r < chunk.rows; ++r)
      multiply(width_, factors(chunk) + r * width_, upstream[r], input_gradients[0][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return dropout_on_device(width_, rate_); }

 private:
  struct Factors : Workspace {
    std::vector<float> factors;  // [rows, width]
  };
  static float* factors(const Chunk& chunk) { return static_cast<Factors*>(chunk.workspace)->factors.data(); }

  Index width_;
  double rate_;
};

}  // namespace

std::unique_ptr<Layer> make_dropout(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1)
    fail("a dropout has one input, and not ", inputs.size(), "; put them side by side with a cat");
  if (!(settings.rate >= 0.0 && settings.rate < 1.0)) fail("rate is ", settings.rate, "; it must be in [0, 1)");
  return std::make_unique<Dropout>(inputs[0].width(), settings.rate);
}

}  // namespace tesserec::dense
