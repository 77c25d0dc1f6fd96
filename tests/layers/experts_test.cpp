// SPDX-License-Identifier: Apache-2.0
// Layers of multi-task models: mixture (MMoE, PLE) and joint (ESMM).
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "errors.hpp"
#include "layer_alone.hpp"

using namespace tesserec;
using namespace tesserec::layers;

TEST_CASE("mixture: sums its experts by the softmax of its gate") {
  test::LayerAlone layer({.type = "mixture"}, {{{3}}, {{2}}, {{2}}, {{2}}});
  const std::vector<float> gate{1.0f, -1.0f, 0.5f, 40.0f, -40.0f, 0.0f};
  const std::vector<std::vector<float>> x{
      {1.0f, 2.0f, 3.0f, 4.0f}, {-1.0f, 0.5f, 9.0f, 9.0f}, {0.0f, 7.0f, -9.0f, 9.0f}};
  const std::vector<float> y = layer.forward(2, {gate, x[0], x[1], x[2]});
  const std::vector<float> dy{1.0f, -2.0f, 3.0f, 1.0f};
  const auto gradients = layer.backward(dy).inputs;
  for (std::size_t r = 0; r < 2; ++r) {
    double p[3], sum = 0, mean = 0, slope[3];
    for (std::size_t e = 0; e < 3; ++e) sum += p[e] = std::exp(double(gate[3 * r + e]));
    for (double& share : p) share /= sum;
    for (std::size_t c = 0; c < 2; ++c) {
      double expected = 0;
      for (std::size_t e = 0; e < 3; ++e) expected += p[e] * x[e][2 * r + c];
      CHECK(y[2 * r + c] == Approx(expected));
    }
    for (std::size_t e = 0; e < 3; ++e) {
      slope[e] = dy[2 * r] * x[e][2 * r] + dy[2 * r + 1] * x[e][2 * r + 1];
      mean += p[e] * slope[e];
      for (std::size_t c = 0; c < 2; ++c) CHECK(gradients[e + 1][2 * r + c] == Approx(p[e] * dy[2 * r + c]));
    }
    for (std::size_t e = 0; e < 3; ++e) CHECK(gradients[0][3 * r + e] == Approx(p[e] * (slope[e] - mean)).margin(1e-6));
  }
}

TEST_CASE("mixture: refuses a gate of another number of experts") {
  const auto error = [](std::vector<InputShape> inputs) {
    return error_of(
        [&] { make_layer({.type = "mixture", .inputs = std::vector<std::string>(inputs.size())}, inputs); });
  };
  CHECK(mentions(error({{{4}}, {{2}}, {{2}}, {{2}}}), "must give one number for each expert"));
  CHECK(mentions(error({{{4}}, {{2}}, {{2}}, {{2}}}), "has 4 numbers for 3 experts"));
  CHECK(mentions(error({{{2}}, {{2}}, {{3}}}), "the inputs of a mixture's experts must have one width"));
  CHECK(mentions(error({{{2}}}), "a mixture takes a gate and its experts, at least two inputs, but has 1"));
}

TEST_CASE("joint: its sigmoid is the product of the sigmoids") {
  test::LayerAlone layer({.type = "joint"}, {{{1}}, {{1}}});
  const std::vector<float> numbers{-1000.0f, -90.0f, -20.0f, -3.0f, -0.5f, 0.0f,   0.7f,
                                   5.0f,     16.0f,  30.0f,  86.0f, 90.0f, 1000.0f};
  std::vector<float> a, b;
  for (const float x : numbers)
    for (const float z : numbers) a.push_back(x), b.push_back(z);
  const std::vector<float> y = layer.forward(std::ssize(a), {a, b});
  const auto gradients = layer.backward(std::vector<float>(a.size(), 1.0f)).inputs;
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(a[i], b[i]);
    const long double s = std::log1p(std::exp(-(long double)a[i])) + std::log1p(std::exp(-(long double)b[i]));
    const long double exact = -std::log(std::expm1(s));
    REQUIRE(std::isfinite(y[i]));
    CHECK(y[i] == Approx(double(std::min(exact, 87.3365447505531L))).epsilon(1e-6).margin(1e-6));
    for (std::size_t n = 0; n < 2; ++n) {
      const long double x = n == 0 ? a[i] : b[i];
      const long double slope = (1 + std::exp(exact)) / (1 + std::exp(x));
      if (exact < 87) CHECK(gradients[n][i] == Approx(double(slope)).epsilon(1e-5).margin(1e-30));
      CHECK(gradients[n][i] >= 0.0f);
      CHECK(gradients[n][i] <= 1.00001f);
    }
  }
}

TEST_CASE("joint: of one logit is the logit, and of three multiplies three") {
  test::LayerAlone one({.type = "joint"}, {{{2}}}), three({.type = "joint"}, {{{1}}, {{1}}, {{1}}});
  const std::vector<float> same = one.forward(1, {{-2.0f, 3.0f}});
  CHECK(same[0] == Approx(-2.0));
  CHECK(same[1] == Approx(3.0));
  const auto p = [](double z) { return 1 / (1 + std::exp(-z)); };
  CHECK(p(three.forward(1, {{0.5f}, {-1.0f}, {2.0f}})[0]) == Approx(p(0.5) * p(-1) * p(2)));
}
