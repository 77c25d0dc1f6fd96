// SPDX-License-Identifier: Apache-2.0
// Layers cat, sum, multiply and dropout.
#include "makers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/random_loops.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

void multiply(const Where& where, Index rows, Rows<const float> a, Rows<const float> b, Rows<float> to) {
  over_elements(
      where, "tesserec::layers::multiply", rows, to.width,
      KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = a[r][c] * b[r][c]; });
}

/// Layer with `width` values per sample and no parameters.
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

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    for (const LayerInput& input : batch.inputs) {
      copy_rows(where, batch.rows, input, {out.data, input.width, out.stride});
      out.data += input.width;
    }
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    for (const Rows<float>& gradient : input_gradients) {
      if (gradient.data != nullptr)
        copy_rows(where, batch.rows, {upstream.data, gradient.width, upstream.stride}, gradient);
      upstream.data += gradient.width;
    }
  }
};

class SumLayer final : public ElementwiseLayer {
 public:
  SumLayer(Index width, double inputs) : ElementwiseLayer(width), inputs_(inputs) {}

  Flops flops() const override { return {(inputs_ - 1) * double(width()), 0, 0}; }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    copy_rows(where, batch.rows, batch.inputs[0], out);
    for (const LayerInput& input : batch.inputs.subspan(1)) add_rows(where, batch.rows, input, out);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    for (const Rows<float>& gradient : input_gradients)
      if (gradient.data != nullptr) copy_rows(where, batch.rows, upstream, gradient);
  }

 private:
  double inputs_;
};

class MultiplyLayer final : public ElementwiseLayer {
 public:
  using ElementwiseLayer::ElementwiseLayer;

  Flops flops() const override { return {double(width()), 2 * double(width()), 0}; }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    multiply(where, batch.rows, batch.inputs[0], batch.inputs[1], out);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    for (std::size_t n = 0; n < 2; ++n)
      if (input_gradients[n].data != nullptr)
        multiply(where, batch.rows, upstream, batch.inputs[1 - n], input_gradients[n]);
  }
};

/// Dropout (Srivastava et al., JMLR 15, 2014), in training only. Each value is 0 with probability `rate`, and else
/// divided by 1 - rate. The choice depends on the seed, the layer, the step and the sample's index in the global batch.
class Dropout final : public ElementwiseLayer {
 public:
  Dropout(Index width, double rate) : ElementwiseLayer(width), rate_(rate) {}

  std::string describe() const override { return concat(width(), " wide, rate ", rate_); }
  Flops flops() const override { return {double(width()), double(width()), 0}; }
  bool draws() const override { return true; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Factors>(); }
  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    if (!batch.draw.training) return copy_rows(where, batch.rows, batch.inputs[0], out);
    const Index n = batch.rows * width();
    float* const factors = own<Factors>(batch).factors.reserve(where, "tesserec::layers::dropout", n);
    const Index first = (batch.draw.step << 32) + batch.draw.first_sample;
    fill_rows(where, Random(batch.draw.seed, Purpose::dropout, batch.draw.layer), {first, first + batch.rows}, width(),
              1.0f, factors);
    const auto below = float(2.0 * rate_ - 1.0), scale = float(1.0 / (1.0 - rate_));
    over_numbers(
        where, "tesserec::layers::dropout", n,
        KOKKOS_LAMBDA(Index i) { factors[i] = factors[i] < below ? 0.0f : scale; });
    multiply(where, batch.rows, {factors, width(), width()}, batch.inputs[0], out);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    if (input_gradients[0].data == nullptr) return;
    if (!batch.draw.training) return copy_rows(where, batch.rows, upstream, input_gradients[0]);
    const Rows<const float> factors{own<Factors>(batch).factors.data(), width(), width()};
    multiply(where, batch.rows, factors, upstream, input_gradients[0]);
  }

 private:
  struct Factors : Workspace {
    LoopBuffer<float> factors;  // [rows, width]
  };

  double rate_;
};

}  // namespace

std::unique_ptr<Layer> make_cat(const LayerSettings&, const InputShapes& inputs) {
  return std::make_unique<CatLayer>(total_width("a cat", inputs));
}
std::unique_ptr<Layer> make_sum(const LayerSettings&, const InputShapes& inputs) {
  return std::make_unique<SumLayer>(same_width("a sum", inputs, 0), double(inputs.size()));
}
std::unique_ptr<Layer> make_multiply(const LayerSettings&, const InputShapes& inputs) {
  return std::make_unique<MultiplyLayer>(same_width("a multiply", inputs, 2));
}
std::unique_ptr<Layer> make_dropout(const LayerSettings& settings, const InputShapes& inputs) {
  const Index width = one_width("a dropout", inputs);
  if (!(settings.rate >= 0.0 && settings.rate < 1.0)) fail("rate is ", settings.rate, "; it must be in [0, 1)");
  return std::make_unique<Dropout>(width, settings.rate);
}

}  // namespace tesserec::layers
