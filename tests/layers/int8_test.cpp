// SPDX-License-Identifier: Apache-2.0
// Layers in int8 against the rule of src/products/int8.hpp, bit by bit, so that all instruction sets agree. ctest runs
// this with each instruction set that the machine has.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "layer_alone.hpp"
#include "mlp_alone.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;

namespace {

struct Layers {
  std::vector<layers::LinearLayer> list;
  std::vector<float> parameters;
};

/// Makes a chain of layers of random weights, of unlike sizes from column to column.
Layers random_layers(const std::vector<Index>& widths, layers::Activation hidden = layers::Activation::relu) {
  const Random random(11, Purpose::test);
  Layers made;
  const auto draw = [&](Index n, float scale) {
    const auto at = std::ssize(made.parameters);
    for (Index i = 0; i < n; ++i) made.parameters.push_back(scale * random.normal(at + i, 0));
    return at;
  };
  for (std::size_t l = 0; l + 1 < widths.size(); ++l) {
    layers::LinearLayer layer{.in = widths[l], .out = widths[l + 1]};
    layer.weight = std::ssize(made.parameters);
    for (Index o = 0; o < layer.out; ++o) draw(layer.in, o % 7 == 3 ? 0.0f : 0.02f * float(1 + o % 5));
    layer.bias = draw(layer.out, 0.1f);
    layer.activation = l + 2 < widths.size() ? hidden : layers::Activation::none;
    made.list.push_back(layer);
  }
  return made;
}

/// One layer of one row by the rule, number by number.
std::vector<float> by_rule(const layers::LinearLayer& layer, const float* parameters, const std::vector<float>& x) {
  const float* const w = parameters + layer.weight;
  std::vector<float> y;
  const float low = std::min(0.0f, *std::ranges::min_element(x)), high = std::max(0.0f, *std::ranges::max_element(x));
  const auto scale = [](float v) { return v < std::numeric_limits<float>::min() ? 0.0f : v; };
  const float s = scale(high / 255.0f - low / 255.0f), by = s > 0 ? 1.0f / s : 0.0f;
  const double z = std::nearbyint(-low * by);
  for (Index o = 0; o < layer.out; ++o) {
    float most = 0.0f;
    for (Index i = 0; i < layer.in; ++i) most = std::max(most, std::fabs(w[o * layer.in + i]));
    const float t = scale(most / 127.0f), by_t = t > 0 ? 1.0f / t : 0.0f;
    double sum = 0.0;
    for (Index i = 0; i < layer.in; ++i) {
      const double q = std::clamp(std::nearbyint(x[std::size_t(i)] * by) + z, 0.0, 255.0);
      sum += (q - z) * std::clamp(double(std::nearbyint(w[o * layer.in + i] * by_t)), -127.0, 127.0);
    }
    const float value = std::fma(float(sum), s * t, parameters[layer.bias + o]);
    y.push_back(layer.activation == layers::Activation::relu && value < 0.0f ? 0.0f : value);
  }
  return y;
}

std::vector<float> fp32(const layers::LinearLayer& layer, const float* parameters, const std::vector<float>& x) {
  std::vector<float> y;
  for (Index o = 0; o < layer.out; ++o) {
    float sum = parameters[layer.bias + o];
    for (Index i = 0; i < layer.in; ++i)
      sum = std::fma(x[std::size_t(i)], parameters[layer.weight + o * layer.in + i], sum);
    y.push_back(layer.activation == layers::Activation::relu && sum < 0.0f ? 0.0f : sum);
  }
  return y;
}

std::vector<float> random_rows(Index rows, Index width) {
  const Random random(12, Purpose::test);
  std::vector<float> x;
  for (Index i = 0; i < rows * width; ++i) {
    const Index kind = i / width % 6;  // of each row: both signs, positive, negative, zeros, tiny, of unlike sizes
    const float number = random.normal(i, 0);
    const float made[] = {number, std::fabs(number), -std::fabs(number),
                          0.0f,   number * 1e-42f,   number * number * number};
    x.push_back(made[kind]);
  }
  return x;
}

}  // namespace

TEST_CASE("Mlp: int8 multiplies codes of rows and columns by the rule, layers of one neuron in fp32") {
  for (const std::vector<Index>& widths :
       {std::vector<Index>{13, 37, 18, 1}, {1, 64, 3}, {300, 96, 200, 33, 1}, {4, 2}, {1100, 32, 5}, {30, 80, 7}}) {
    const bool is_linear = widths[0] % 3 == 0;  // codes of hidden numbers below 0, too
    const Layers made = random_layers(widths, is_linear ? layers::Activation::none : layers::Activation::relu);
    const Index in = widths.front(), out = widths.back();
    test::MlpAlone mlp(made.list, made.parameters.data(), products::Precision::int8);
    for (const Index rows : {1, 5, 128}) {
      const std::vector<float> x = random_rows(rows, in);
      std::vector<float> y(std::size_t(rows * out));
      mlp.forward(rows, x.data(), y.data());
      Index wrong = 0;
      for (Index r = 0; r < rows; ++r) {
        std::vector<float> row(x.begin() + r * in, x.begin() + (r + 1) * in);
        for (const layers::LinearLayer& layer : made.list)
          row = (layer.out > 1 ? by_rule : fp32)(layer, made.parameters.data(), row);
        wrong += std::memcmp(row.data(), y.data() + r * out, std::size_t(out) * sizeof(float)) != 0;
      }
      INFO(in << " to " << out << ", " << rows << " rows");
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("Mlp: int8 gives a row its own codes, so that its result does not depend on the others") {
  const Layers made = random_layers({40, 64, 16});
  test::MlpAlone mlp(made.list, made.parameters.data(), products::Precision::int8);
  std::vector<float> x = random_rows(9, 40), all(9 * 16), alone(16);
  mlp.forward(9, x.data(), all.data());
  for (Index r = 0; r < 9; ++r) {
    mlp.forward(1, x.data() + r * 40, alone.data());
    CHECK(std::memcmp(alone.data(), all.data() + r * 16, 16 * sizeof(float)) == 0);
  }
  for (const float bad : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                          std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
    x[4 * 40 + 39] = bad;
    std::vector<float> y(9 * 16);
    mlp.forward(9, x.data(), y.data());
    for (Index r = 0; r < 9; ++r)
      for (Index c = 0; c < 16; ++c) {
        const float v = y[std::size_t(r * 16 + c)];
        if (r == 4 ? !std::isnan(v) : v != all[std::size_t(r * 16 + c)])
          FAIL("row " << r << ", bad " << bad << ": " << v);
      }
  }
}

TEST_CASE("Mlp: int8 is near fp32; numbers whose scale has no inverse count as zeros") {
  const Layers made = random_layers({64, 128, 8});
  test::MlpAlone coded(made.list, made.parameters.data(), products::Precision::int8),
      exact(made.list, made.parameters.data());
  const std::vector<float> x = random_rows(120, 64);
  std::vector<float> y(120 * 8), z(120 * 8);
  coded.forward(120, x.data(), y.data());
  exact.forward(120, x.data(), z.data());
  double most = 0, size = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    most = std::max(most, double(std::fabs(y[i] - z[i])));
    size = std::max(size, double(std::fabs(z[i])));
  }
  CHECK(most > 0);
  CHECK(most < 0.02 * size);
  std::vector<float> zero(64), at_zero(8);
  coded.forward(1, zero.data(), at_zero.data());
  CHECK(std::memcmp(at_zero.data(), y.data() + 4 * 8, 8 * sizeof(float)) == 0);  // row 4 has numbers near 1e-42
}

TEST_CASE("make_layer: layers of several products take int8 for any rows and are near fp32") {
  const Index in = 45, rows = 37;
  for (layers::LayerSettings settings : {layers::LayerSettings{.type = "mlp", .widths = {33, 1, 5}},
                                         {.type = "cross", .layers = 2},
                                         {.type = "cross", .layers = 2, .rank = 5},
                                         {.type = "mixture_cross", .layers = 2, .rank = 5, .experts = 2}}) {
    std::vector<float> parameters;
    const auto forward = [&](products::Precision precision, Index count) {
      settings.precision = precision;
      const Index size = test::LayerAlone(settings, {{{in}}}, {}).layer().size();
      const Random random(13, Purpose::test);
      parameters.resize(std::size_t(size));
      for (Index i = 0; i < size; ++i) parameters[i] = 0.2f * random.normal(i, 0);
      std::vector<float> x = random_rows(rows, in);
      x.resize(std::size_t(count * in));
      return test::LayerAlone(settings, {{{in}}}, parameters).forward(count, {x});
    };
    INFO(settings.type << ", rank " << settings.rank);
    const std::vector<float> coded = forward(products::Precision::int8, rows),
                             exact = forward(products::Precision::fp32, rows);
    double most = 0, size = 0;
    for (std::size_t i = 0; i < coded.size(); ++i) {
      most = std::max(most, double(std::fabs(coded[i] - exact[i])));
      size = std::max(size, double(std::fabs(exact[i])));
    }
    CHECK(most > 0);
    CHECK(most < 0.03 * size);
    const std::vector<float> few = forward(products::Precision::int8, 5);
    CHECK(std::equal(few.begin(), few.end(), coded.begin()));
  }
}
