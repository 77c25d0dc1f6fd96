// SPDX-License-Identifier: Apache-2.0
#include <cmath>

#include "catch.hpp"
#include "errors.hpp"
#include "layer_alone.hpp"

using namespace tesserec;
using namespace tesserec::layers;

TEST_CASE("gated: is the first half of its input times the sigmoid of the second") {
  test::LayerAlone layer({.type = "gated"}, {{{4}}});
  const std::vector<float> x{1.0f, -2.0f, 0.0f, 3.0f, 0.5f, 4.0f, -1.0f, 2.0f}, y = layer.forward(2, {x});
  const std::vector<float> dy{1.0f, 1.0f, 2.0f, -1.0f}, dx = layer.backward(dy).inputs[0];
  REQUIRE(y.size() == 4);
  for (std::size_t i = 0; i < 4; ++i) {
    const double a = x[i / 2 * 4 + i % 2], b = x[i / 2 * 4 + 2 + i % 2], open = 1 / (1 + std::exp(-b));
    CHECK(y[i] == Approx(a * open));
    CHECK(dx[i / 2 * 4 + i % 2] == Approx(dy[i] * open));
    CHECK(dx[i / 2 * 4 + 2 + i % 2] == Approx(dy[i] * a * open * (1 - open)));
  }
  CHECK(mentions(error_of([] { make_layer({.type = "gated", .inputs = {""}}, {{{5}}}); }),
                 "a gated halves its input, but an input has 5 numbers"));
}
