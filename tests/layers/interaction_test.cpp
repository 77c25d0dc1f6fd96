// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <numeric>
#include <vector>

#include "catch.hpp"
#include "layer_alone.hpp"
#include "src/products/dot_kernels.hpp"
#include "src/products/plain_vector.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::layers;

namespace {

enum class Interaction { dot, cat };

/// Returns a layer that reads a bottom vector, and the others as one input.
test::LayerAlone layer(Interaction type, bool itself, const std::vector<Index>& dims) {
  return {{.type = type == Interaction::dot ? "dot" : "cat", .itself = itself},
          {{{dims[0]}}, {{dims.begin() + 1, dims.end()}}}};
}

/// Returns the interaction by its definition in double. z has the bottom vector and then the features.
std::vector<double> by_definition(Interaction type, bool itself, const std::vector<Index>& dims,
                                  const std::vector<double>& z) {
  std::vector<double> out(z.begin(), type == Interaction::cat ? z.end() : z.begin() + dims[0]);
  if (type == Interaction::cat) return out;
  const Index d = dims[0];
  for (Index i = 0; i < static_cast<Index>(dims.size()); ++i)
    for (Index j = 0; j < i + (itself ? 1 : 0); ++j) {
      double sum = 0.0;
      for (Index k = 0; k < d; ++k) sum += z[i * d + k] * z[j * d + k];
      out.push_back(sum);
    }
  return out;
}

void check(Interaction type, bool itself, const std::vector<Index>& dims) {
  test::LayerAlone interaction = layer(type, itself, dims);
  const Index rows = 5, d = dims[0], width = interaction.layer().width();
  const Index pooled_width = std::accumulate(dims.begin() + 1, dims.end(), Index{0});
  const Random random(8, Purpose::test);
  std::vector<float> bottom(rows * d), pooled(rows * pooled_width), upstream(rows * width);
  for (std::size_t i = 0; i < bottom.size(); ++i) bottom[i] = random.normal(static_cast<Index>(i), 0);
  for (std::size_t i = 0; i < pooled.size(); ++i) pooled[i] = random.normal(static_cast<Index>(i), 2);
  for (std::size_t i = 0; i < upstream.size(); ++i) upstream[i] = random.normal(static_cast<Index>(i), 4);
  const std::vector<float> out = interaction.forward(rows, {bottom, pooled});
  const auto gradients = interaction.backward(upstream);
  const std::vector<float>&bottom_gradient = gradients.inputs[0], &pooled_gradient = gradients.inputs[1];
  for (Index r = 0; r < rows; ++r) {
    std::vector<double> z(bottom.begin() + r * d, bottom.begin() + (r + 1) * d);
    z.insert(z.end(), pooled.begin() + r * pooled_width, pooled.begin() + (r + 1) * pooled_width);
    const std::vector<double> expected = by_definition(type, itself, dims, z);
    REQUIRE(static_cast<Index>(expected.size()) == width);
    for (Index i = 0; i < width; ++i) REQUIRE(std::abs(out[r * width + i] - expected[i]) < 1e-5);
    const auto objective = [&] {
      const std::vector<double> value = by_definition(type, itself, dims, z);
      double sum = 0.0;
      for (Index i = 0; i < width; ++i) sum += value[i] * upstream[r * width + i];
      return sum;
    };
    for (Index i = 0; i < d + pooled_width; ++i) {
      const double start = z[i], h = 1e-4;
      z[i] = start + h;
      const double above = objective();
      z[i] = start - h;
      const double slope = (above - objective()) / (2 * h);
      z[i] = start;
      const float found = i < d ? bottom_gradient[r * d + i] : pooled_gradient[r * pooled_width + i - d];
      REQUIRE(std::abs(found - slope) < 2e-5 * (1.0 + std::abs(slope)));
    }
  }
}

}  // namespace

TEST_CASE("dot and cat: have the values and gradients of their definition by central differences") {
  for (const bool itself : {false, true})
    for (const Index vectors : {1, 2, 4, 5, 16, 17, 27, 40})
      for (const Index dim : {1, 5, 16, 33}) check(Interaction::dot, itself, std::vector<Index>(vectors, dim));
  check(Interaction::cat, false, {4, 4, 4});
  check(Interaction::cat, false, {3, 7, 1, 16});
  check(Interaction::cat, false, {3});
}

TEST_CASE("dot: a sample's interaction does not depend on its place in the chunk") {
  test::LayerAlone interaction = layer(Interaction::dot, false, std::vector<Index>(27, 16));
  const Random random(9, Purpose::test);
  std::vector<float> bottom(9 * 16), pooled(9 * 26 * 16);
  for (std::size_t i = 0; i < bottom.size(); ++i) bottom[i] = random.normal(static_cast<Index>(i), 0);
  for (std::size_t i = 0; i < pooled.size(); ++i) pooled[i] = random.normal(static_cast<Index>(i), 2);
  const std::vector<float> all = interaction.forward(9, {bottom, pooled});
  const Index width = interaction.layer().width();
  for (Index r = 0; r < 9; ++r) {
    const std::vector<float> alone =
        interaction.forward(1, {{bottom.begin() + r * 16, bottom.begin() + (r + 1) * 16},
                                {pooled.begin() + r * 26 * 16, pooled.begin() + (r + 1) * 26 * 16}});
    for (Index i = 0; i < width; ++i) REQUIRE(alone[i] == all[r * width + i]);
  }
}

TEST_CASE("dot: vectors distributed over other inputs give the same bits") {
  const Index rows = 5, d = 6;
  const Random random(11, Purpose::test);
  std::vector<float> z(rows * 4 * d), upstream(rows * (d + 6));
  for (std::size_t i = 0; i < z.size(); ++i) z[i] = random.normal(static_cast<Index>(i), 0);
  for (std::size_t i = 0; i < upstream.size(); ++i) upstream[i] = random.normal(static_cast<Index>(i), 2);
  // Returns `vectors` of the four vectors, from vector `first` on.
  const auto vectors_from = [&](Index first, Index vectors) {
    std::vector<float> numbers;
    for (Index r = 0; r < rows; ++r)
      numbers.insert(numbers.end(), z.begin() + (r * 4 + first) * d, z.begin() + (r * 4 + first + vectors) * d);
    return numbers;
  };
  std::vector<float> expected, expected_gradient;
  for (const std::vector<Index>& inputs : std::vector<std::vector<Index>>{{1, 3}, {4}, {2, 2}, {1, 1, 1, 1}}) {
    std::vector<InputShape> shapes;
    std::vector<std::vector<float>> numbers;
    Index first = 0;
    for (const Index vectors : inputs) {
      shapes.push_back({std::vector<Index>(vectors, d)});
      numbers.push_back(vectors_from(first, vectors));
      first += vectors;
    }
    test::LayerAlone dot({.type = "dot"}, shapes);
    const std::vector<float> out = dot.forward(rows, numbers);
    const auto gradients = dot.backward(upstream).inputs;
    std::vector<float> gradient;  // as z
    for (Index r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < inputs.size(); ++i)
        gradient.insert(gradient.end(), gradients[i].begin() + r * inputs[i] * d,
                        gradients[i].begin() + (r + 1) * inputs[i] * d);
    if (expected.empty()) expected = out, expected_gradient = gradient;
    REQUIRE(out == expected);
    REQUIRE(gradient == expected_gradient);
  }
}

TEST_CASE("Dots: registers of 16 samples have the bits of this machine's registers") {
  using Wide = products::Dots<products::PlainVector<16, 4>>;
  for (const bool itself : {false, true})
    for (const Index dim : {3, 16, 40}) {
      const products::DotShape shape{9, dim, itself};
      test::LayerAlone dot = layer(Interaction::dot, itself, std::vector<Index>(9, dim));
      const Index rows = 37;
      const Random random(10, Purpose::test);
      const auto numbers = [&](Index n, Index stream) {
        std::vector<float> made(static_cast<std::size_t>(n));
        for (Index i = 0; i < n; ++i) made[static_cast<std::size_t>(i)] = random.normal(i, stream);
        return made;
      };
      const auto bottom = numbers(rows * dim, 0), pooled = numbers(rows * 8 * dim, 2),
                 upstream = numbers(rows * dot.layer().width(), 4);
      std::vector<float> scratch(Wide::scratch(shape), NAN), wide_out(upstream.size()), wide_db(bottom.size()),
          wide_dp(pooled.size());
      const std::vector<float> out = dot.forward(rows, {bottom, pooled});
      const auto gradients = dot.backward(upstream);
      Wide::forward(shape, rows, {bottom.data(), pooled.data()}, wide_out.data(), scratch.data());
      Wide::backward(shape, rows, {bottom.data(), pooled.data()}, upstream.data(), {wide_db.data(), wide_dp.data()},
                     scratch.data());
      REQUIRE(wide_out == out);
      REQUIRE(wide_db == gradients.inputs[0]);
      REQUIRE(wide_dp == gradients.inputs[1]);
    }
}
