// SPDX-License-Identifier: Apache-2.0
// cat, sum, multiply and dropout.
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/random.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::dense {
namespace {

TESSEREC_KERNEL void multiply(Index n, const float* a, const float* b, float* to) {
  for (Index i = 0; i < n; ++i) to[i] = a[i] * b[i];
}

/// Layer of `width` numbers a sample, without parameters.
class ElementwiseLayer : public Layer {
 public:
  explicit ElementwiseLayer(Index width) : width_(width) {}

  Index width() const final { return width_; }
  std::string describe() const override { return std::to_string(width_) + " wide"; }
  bool multiplies_matrices() const final { return false; }

 private:
  Index width_;
};

class CatLayer final : public ElementwiseLayer {
 public:
  using ElementwiseLayer::ElementwiseLayer;

  Flops flops() const override { return {}; }

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
};

class SumLayer final : public ElementwiseLayer {
 public:
  SumLayer(Index width, double inputs) : ElementwiseLayer(width), inputs_(inputs) {}

  Flops flops() const override { return {(inputs_ - 1) * double(width()), 0, 0}; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    copy_rows(chunk.rows, chunk.inputs[0], out);
    for (const Rows<const float>& input : chunk.inputs.subspan(1))
      for (Index r = 0; r < chunk.rows; ++r) dense::add(width(), input[r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (const Rows<float>& gradient : input_gradients)
      if (gradient.data != nullptr) copy_rows(chunk.rows, upstream, gradient);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return sum_on_device(); }

 private:
  double inputs_;
};

class MultiplyLayer final : public ElementwiseLayer {
 public:
  using ElementwiseLayer::ElementwiseLayer;

  Flops flops() const override { return {double(width()), 2 * double(width()), 0}; }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    for (Index r = 0; r < chunk.rows; ++r) multiply(width(), chunk.inputs[0][r], chunk.inputs[1][r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    for (std::size_t n = 0; n < 2; ++n)
      if (input_gradients[n].data != nullptr)
        for (Index r = 0; r < chunk.rows; ++r)
          multiply(width(), upstream[r], chunk.inputs[1 - n][r], input_gradients[n][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return multiply_on_device(); }
};

/// draws in [-1, 1) -> factors
TESSEREC_KERNEL void keep(Index n, Kept kept, float* draws) {
  for (Index i = 0; i < n; ++i) draws[i] = kept.factor(draws[i]);
}

/// Dropout (Srivastava et al., JMLR 15, 2014), in training alone: each number is 0 with probability `rate`, else
/// divided by 1 - rate. Which ones is a function of the seed, the layer, the step and the sample's place in the global
/// batch.
class Dropout final : public ElementwiseLayer {
 public:
  Dropout(Index width, double rate) : ElementwiseLayer(width), rate_(rate) {}

  std::string describe() const override { return concat(width(), " wide, rate ", rate_); }
  Flops flops() const override { return {double(width()), double(width()), 0}; }

  std::unique_ptr<Workspace> make_workspace(const Exec&, Index rows) const override {
    auto made = std::make_unique<Factors>();
    made->factors.resize(rows * width());
    return made;
  }
  void forward(const Chunk& chunk, Rows<float> out) const override {
    if (!chunk.draw.training) return copy_rows(chunk.rows, chunk.inputs[0], out);
    float* const factors = this->factors(chunk);
    const Index first = first_draw(chunk.draw);
    Random(chunk.draw.seed, Purpose::dropout, chunk.draw.layer)
        .fill_rows({first, first + chunk.rows}, {0, width()}, 1.0f, factors);
    keep(chunk.rows * width(), Kept(rate_), factors);
    for (Index r = 0; r < chunk.rows; ++r) multiply(width(), factors + r * width(), chunk.inputs[0][r], out[r]);
  }
  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool, float*) const override {
    if (input_gradients[0].data == nullptr) return;
    for (Index r = 0; r < chunk.rows; ++r)
      multiply(width(), factors(chunk) + r * width(), upstream[r], input_gradients[0][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts&) const override { return dropout_on_device(width(), rate_); }

 private:
  struct Factors : Workspace {
    std::vector<float> factors;  // [rows, width]
  };
  static float* factors(const Chunk& chunk) { return static_cast<Factors*>(chunk.workspace)->factors.data(); }

  double rate_;
};

}  // namespace

std::unique_ptr<Layer> make_cat(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.empty()) fail("a cat has at least one input");
  Index width = 0;
  for (const InputShape& input : inputs) width += input.width();
  return std::make_unique<CatLayer>(width);
}

std::unique_ptr<Layer> make_sum(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.empty()) fail("a sum has at least one input");
  for (const InputShape& input : inputs)
    if (input.width() != inputs[0].width())
      fail("the inputs of a sum have one width, but ", inputs[0].name(), " has ", inputs[0].width(), " numbers and ",
           input.name(), " has ", input.width());
  return std::make_unique<SumLayer>(inputs[0].width(), double(inputs.size()));
}

std::unique_ptr<Layer> make_multiply(const LayerSettings&, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 2) fail("a multiply has two inputs, and not ", inputs.size());
  if (inputs[0].width() != inputs[1].width())
    fail("the inputs of a multiply have one width, but ", inputs[0].name(), " has ", inputs[0].width(), " numbers and ",
         inputs[1].name(), " has ", inputs[1].width());
  return std::make_unique<MultiplyLayer>(inputs[0].width());
}

std::unique_ptr<Layer> make_dropout(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1)
    fail("a dropout has one input, and not ", inputs.size(), "; put them side by side with a cat");
  if (!(settings.rate >= 0.0 && settings.rate < 1.0)) fail("rate is ", settings.rate, "; it must be in [0, 1)");
  return std::make_unique<Dropout>(inputs[0].width(), settings.rate);
}

}  // namespace tesserec::dense
