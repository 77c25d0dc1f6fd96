// SPDX-License-Identifier: Apache-2.0
// Layer normalisation (Ba, Kiros, Hinton, arXiv 1607.06450), over a sample's n numbers:
//   h = (x - mean) / sqrt(variance + 1e-5);   y = weight * h + bias
#include <cmath>

#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {
namespace {

TESSEREC_KERNEL double normalise(Index n, const float* x, float* h) { return normalise_by(OneThread(), n, x, h); }
TESSEREC_KERNEL void stretch(Index n, const float* weight, const float* bias, const float* h, float* y) {
  for (Index i = 0; i < n; ++i) y[i] = std::fma(weight[i], h[i], bias[i]);
}
TESSEREC_KERNEL void input_slopes(Index n, const float* weight, const float* h, const float* dy, double inverse,
                                  float* dx) {
  normalise_back_by(OneThread(), n, weight, h, dy, inverse, dx);
}
TESSEREC_KERNEL void parameter_slopes(Index n, const float* h, const float* dy, float* weight, float* bias) {
  for (Index i = 0; i < n; ++i) {
    weight[i] = std::fma(h[i], dy[i], weight[i]);
    bias[i] += dy[i];
  }
}
class LayerNorm final : public Layer {
 public:
  explicit LayerNorm(Index width)
      : width_(width),
        weight_(add_parameter("weight", width, 1, Start::one)),
        bias_(add_parameter("bias", width, 1, Start::zero)) {}

  Index width() const override { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  Flops flops() const override { return {8.0 * double(width_), 8.0 * double(width_), 3.0 * double(width_)}; }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace(const Exec&, Index rows) const override {
    auto made = std::make_unique<Normal>();
    made->h.resize(rows * width_);
    made->inverse.resize(rows);
    made->sums.resize(size());
    return made;
  }
  void forward(const Chunk& chunk, Rows<float> out) const override {
    Normal& own = normal(chunk);
    for (Index r = 0; r < chunk.rows; ++r) {
      float* const h = own.h.data() + r * width_;
      own.inverse[r] = normalise(width_, chunk.inputs[0][r], h);
      stretch(width_, chunk.parameters + weight_, chunk.parameters + bias_, h, out[r]);
    }
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    Normal& own = normal(chunk);
    std::fill(own.sums.begin(), own.sums.end(), 0.0f);
    for (Index r = 0; r < chunk.rows; ++r) {
      const float* const h = own.h.data() + r * width_;
      parameter_slopes(width_, h, upstream[r], own.sums.data() + weight_, own.sums.data() + bias_);
      if (input_gradients[0].data != nullptr)
        input_slopes(width_, chunk.parameters + weight_, h, upstream[r], own.inverse[r], input_gradients[0][r]);
    }
    for (const Parameter& tensor : parameters()) {
      float* const to = gradient + tensor.offset;
      if (!add) std::fill_n(to, width_, 0.0f);
      dense::add(width_, own.sums.data() + tensor.offset, to);
    }
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override {
    return layer_norm_on_device(width_, weight_, bias_);
  }

 private:
  struct Normal : Workspace {
    std::vector<float> h;         // [rows, width]
    std::vector<double> inverse;  // of each row's deviation
    std::vector<float> sums;      // the chunk's gradient of the parameters
  };
  static Normal& normal(const Chunk& chunk) { return *static_cast<Normal*>(chunk.workspace); }

  Index width_, weight_, bias_;
};

}  // namespace

std::unique_ptr<Layer> make_layer_norm(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1)
    fail("a layer_norm has one input, and not ", inputs.size(), "; put them side by side with a cat");
  return std::make_unique<LayerNorm>(inputs[0].width());
}

}  // namespace tesserec::dense
