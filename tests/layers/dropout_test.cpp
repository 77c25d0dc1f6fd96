// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>

#include "catch.hpp"
#include "layer_alone.hpp"

using namespace tesserec;
using namespace tesserec::layers;

TEST_CASE("dropout: the kept numbers are a function of seed and layer and step and sample") {
  constexpr Index rows = 100, width = 37;
  const double rate = 0.3;
  test::LayerAlone layer({.type = "dropout", .rate = rate}, {{{width}}});
  const auto ones = [](Index n) { return std::vector<std::vector<float>>{std::vector<float>(n * width, 1.0f)}; };
  CHECK(layer.forward(rows, ones(rows)) == ones(rows)[0]);  // outside training

  layer.draw = {true, 5, 2, 7, 1000};
  const std::vector<float> out = layer.forward(rows, ones(rows));
  const auto zeros = std::count(out.begin(), out.end(), 0.0f), n = std::ssize(out);
  for (const float y : out) REQUIRE((y == 0.0f || y == Approx(1.0 / (1.0 - rate))));
  CHECK(std::abs(double(zeros) / double(n) - rate) < 4 * std::sqrt(rate * (1 - rate) / double(n)));
  const auto gradient = layer.backward(std::vector<float>(n, 1.0f)).inputs[0];
  CHECK(gradient == out);

  // The same samples in another chunk keep the same numbers.
  layer.draw.first_sample = 1040;
  const std::vector<float> later = layer.forward(60, ones(60));
  CHECK(std::equal(later.begin(), later.end(), out.begin() + 40 * width));

  const auto differs = [&](Layer::Draw draw) {
    layer.draw = draw;
    return layer.forward(rows, ones(rows)) != out;
  };
  CHECK_FALSE(differs({true, 5, 2, 7, 1000}));
  CHECK(differs({true, 6, 2, 7, 1000}));
  CHECK(differs({true, 5, 3, 7, 1000}));
  CHECK(differs({true, 5, 2, 8, 1000}));
}
