// SPDX-License-Identifier: Apache-2.0
// Digests of layers. A change here changes the bits of every model.
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "digest.hpp"
#include "layer_alone.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::layers;

namespace {

std::vector<float> numbers(Index n, Index column) {
  const Random random(14, Purpose::test);
  std::vector<float> made;
  for (Index i = 0; i < n; ++i) made.push_back(random.normal(i, column));
  return made;
}

struct Recorded {
  LayerSettings settings;
  std::vector<InputShape> inputs;
  std::uint64_t digest;
};

/// Returns the digest of 101 samples' outputs and of all gradients. Rows and columns fill no tile evenly.
std::uint64_t digest_of(const Recorded& layer) {
  const Index rows = 101;
  const Index size = test::LayerAlone(layer.settings, layer.inputs).layer().size();
  std::vector<float> parameters = numbers(size, 0);
  for (float& w : parameters) w *= 0.125f;
  test::LayerAlone alone(layer.settings, layer.inputs, parameters);
  std::vector<std::vector<float>> inputs;
  for (const InputShape& shape : layer.inputs)
    inputs.push_back(numbers(rows * shape.width(), 2 + 2 * std::ssize(inputs)));
  std::uint64_t digest = test::digest(alone.forward(rows, inputs));
  const test::LayerAlone::Gradients gradients = alone.backward(numbers(rows * alone.layer().width(), 100));
  for (const std::vector<float>& gradient : gradients.inputs) digest = test::digest(gradient, digest);
  return test::digest(gradients.parameters, digest);
}

LayerSettings mlp(Activation activation) {
  return {.type = "mlp", .widths = {300, 70, 5}, .activations = {activation}};
}

}  // namespace

TEST_CASE("make_layer: layers and their gradients have the bits they had when this was written") {
  const std::vector<InputShape> one{{{77}}}, seven{{std::vector<Index>(7, 19)}}, two{{{60}}, {{60}}};
  const std::vector<Recorded> all = {
      {mlp(Activation::relu), one, 0x7e888a0c952822c0},
      {mlp(Activation::sigmoid), one, 0x7cfc1b05c43bc6c9},
      {mlp(Activation::tanh), one, 0x24c0363f8fcc463d},
      {mlp(Activation::gelu), one, 0x3176679ce21ddde1},
      {mlp(Activation::swish), one, 0x8a20acd9321a0f80},
      {{.type = "dot", .itself = true}, seven, 0x1c6daffb36aec0e8},
      {{.type = "cross", .layers = 2, .rank = 9}, one, 0x38fad32c4dcd8c23},
      {{.type = "vector_cross", .layers = 2}, one, 0xd52e755e6d5b4bba},
      {{.type = "mixture_cross", .layers = 2, .rank = 9, .experts = 3}, one, 0xc7e9ccd74517f1a6},
      {{.type = "fm"}, seven, 0xf0a68027a6279873},
      {{.type = "product", .dim = 6}, two, 0xf788a3b2925d31a5},
      {{.type = "score"}, two, 0x2047a2919b35b1d7},
      {{.type = "layer_norm"}, one, 0xcfbcdeecbc15451b},
  };
  for (const Recorded& layer : all) {
    CAPTURE(layer.settings.type, layer.settings.activations);
    CHECK(digest_of(layer) == layer.digest);
  }
}

TEST_CASE("mlp: relu leaves -0 as it is") {
  test::LayerAlone layer({.type = "mlp", .widths = {3}, .activations = {Activation::relu}}, {{{2}}},
                         std::vector<float>(64, -0.0f));
  for (const float y : layer.forward(5, {std::vector<float>(10, 1.0f)})) CHECK((y == 0.0f && std::signbit(y)));
}

TEST_CASE("layer_norm: a lane's sums begin with +0 and keep it if a chunk's sums underflow to -0") {
  test::LayerAlone layer({.type = "layer_norm"}, {{{4}}}, std::vector<float>(64, 1.0f));
  layer.forward(1, {{1.0f, 2.0f, 3.0f, 4.0f}});
  const float least = -std::numeric_limits<float>::denorm_min();  // times 0.447 it is -0
  const std::vector<float> gradient = layer.backward({0.0f, 0.0f, least, 0.0f}).parameters;
  CHECK((gradient[2] == 0.0f && !std::signbit(gradient[2])));
}
