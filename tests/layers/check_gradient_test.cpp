// SPDX-License-Identifier: Apache-2.0
// check_gradient() accepts the library's layers and finds errors in others.
#include "catch.hpp"
#include "errors.hpp"
#include <tesserec/layers/check_gradient.hpp>
#include <tesserec/layers/layer_types.hpp>

using namespace tesserec;
using namespace tesserec::layers;

namespace {

/// A layer y = scale x^2 whose gradient has the error `fault`.
class Square final : public Layer {
 public:
  enum class Fault { none, sign, adds_not, writes_beside, writes_not, wrong_scale };
  explicit Square(Fault fault) : fault_(fault) { scale_ = add_parameter("scale", 1, 3, Start::one); }
  Index width() const override { return 3; }
  std::string describe() const override { return "3 wide"; }
  Flops flops() const override { return {}; }
  void forward(const Where&, const Batch& batch, Rows<float> out) const override {
    for (Index r = 0; r < batch.rows; ++r)
      for (Index c = 0; c < 3; ++c) {
        const float x = batch.inputs[0][r][c];
        out[r][c] = batch.parameters[scale_ + c] * x * x;
      }
  }
  void backward(const Where&, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    float* const scales = gradient.from(scale_).data;
    if (!gradient.add || fault_ == Fault::adds_not) std::fill_n(scales, 3, 0.0f);
    for (Index r = 0; r < batch.rows; ++r)
      for (Index c = 0; c < 3; ++c) {
        const float x = batch.inputs[0][r][c];
        scales[c] += upstream[r][c] * x * x;
        if (input_gradients[0].data == nullptr || fault_ == Fault::writes_not) continue;
        const float slope = fault_ == Fault::sign ? -2.0f : fault_ == Fault::wrong_scale && c == 2 ? 2.1f : 2.0f;
        const Index row = fault_ == Fault::writes_beside ? r * 3 : r * input_gradients[0].stride;
        input_gradients[0].data[row + c] = slope * batch.parameters[scale_ + c] * x * upstream[r][c];
      }
  }

 private:
  Fault fault_;
  Index scale_;
};

}  // namespace

TEST_CASE("check_gradient: accepts the layers of the library") {
  const InputShape one{{5}}, three{{4, 4, 4}}, sequence{{5}, {}, true};
  const std::tuple<LayerSettings, std::vector<InputShape>> layers[] = {
      {{.type = "mlp", .widths = {6, 3}, .activations = {Activation::tanh, Activation::none}}, {one}},
      {{.type = "mlp", .widths = {6, 2}}, {one}},  // relu: corners
      {{.type = "dot", .itself = true}, {{{4}}, three}},
      {{.type = "cat"}, {one, three}},
      {{.type = "cross", .layers = 2, .rank = 3}, {one}},
      {{.type = "vector_cross", .layers = 2}, {one}},
      {{.type = "mixture_cross", .layers = 2, .rank = 2, .experts = 3}, {one}},
      {{.type = "fm"}, {three}},
      {{.type = "score"}, {one, one}},
      {{.type = "sum"}, {one, one}},
      {{.type = "multiply"}, {one, one}},
      {{.type = "layer_norm"}, {one}},
      {{.type = "mixture"}, {{{{3}}}, one, one, one}},
      {{.type = "joint"}, {one, one, one}},
      {{.type = "gated"}, {{{{6}}}}},
      {{.type = "dropout", .rate = 0.3}, {one}},
      {{.type = "attention", .widths = {4}, .softmax = true}, {one, sequence}},
      {{.type = "weighted_sum", .positions = 3}, {sequence}},
  };
  for (auto [settings, inputs] : layers) {
    settings.inputs.resize(inputs.size());
    INFO(settings.type);
    CheckedGradient checked;
    REQUIRE(error_of([&] { checked = check_gradient(Exec(), *make_layer(settings, inputs), inputs); }) == "");
    CHECK(checked.numbers > 10);
  }
}

TEST_CASE("check_gradient: throws with the number that is wrong in a layer's gradient") {
  using enum Square::Fault;
  const auto found = [](Square::Fault fault) {
    return error_of([&] { check_gradient(Exec(), Square(fault), {{{3}}}); });
  };
  CHECK(found(none) == "");
  CHECK(mentions(found(sign), "input 0[0, 0]: the gradient is "));
  CHECK(mentions(found(wrong_scale), "input 0["));
  CHECK(mentions(found(writes_not), "input 0[0, 0]: the gradient is nan"));
  CHECK(mentions(found(writes_beside), "backward writes beyond column 3 of the gradient of input 0"));
  CHECK(mentions(found(adds_not), "backward with `add` makes "));
}
