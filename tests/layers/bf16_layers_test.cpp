// SPDX-License-Identifier: Apache-2.0
// Layers in bf16 against chains of products of rounded numbers, bit by bit, and near the layers in fp32.
#include <algorithm>
#include <vector>

#include "bf16_oracle.hpp"
#include "catch.hpp"
#include "layer_alone.hpp"
#include "mlp_alone.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/layers.hpp>
#include <tesserec/products.hpp>

using namespace tesserec;
using namespace tesserec::layers;
using namespace tesserec::products;
using namespace tesserec::test;

namespace {

/// Returns the chain over words of two numbers; an incomplete last word is filled with 0.
template <class A, class B>
float chain(Index n, float c, const A& a, const B& b) {
  for (Index k = 0; k < n; k += 2) {
    c = k + 1 < n ? step(a(k + 1), b(k + 1), c) : step(0, 0, c);
    c = step(a(k), b(k), c);
  }
  return c;
}

std::vector<float> numbers(std::uint64_t stream, Index n) {
  const Random random(5, Purpose::test, stream);
  std::vector<float> values(n);
  for (Index i = 0; i < n; ++i) values[i] = random.normal(i, 0);
  return values;
}
std::vector<float> rounded(std::vector<float> values) {
  std::transform(values.begin(), values.end(), values.begin(), rounded_to_bf16);
  return values;
}

/// Returns y [rows, out] = x w^T + b of rounded numbers. The next two functions return its gradients.
std::vector<float> linear(Index rows, Index in, Index out, const std::vector<float>& x, const std::vector<float>& w,
                          const float* bias) {
  std::vector<float> y;
  for (Index r = 0; r < rows; ++r)
    for (Index o = 0; o < out; ++o)
      y.push_back(chain(
          in, bias[o], [&](Index k) { return x[r * in + k]; }, [&](Index k) { return w[o * in + k]; }));
  return y;
}
std::vector<float> input_gradient(Index rows, Index in, Index out, const std::vector<float>& dy,
                                  const std::vector<float>& w) {
  std::vector<float> dx;
  for (Index r = 0; r < rows; ++r)
    for (Index i = 0; i < in; ++i)
      dx.push_back(chain(
          out, 0.0f, [&](Index k) { return dy[r * out + k]; }, [&](Index k) { return w[k * in + i]; }));
  return dx;
}
std::vector<float> weight_gradient(Index rows, Index in, Index out, const std::vector<float>& dy,
                                   const std::vector<float>& x) {
  std::vector<float> dw;
  for (Index o = 0; o < out; ++o)
    for (Index i = 0; i < in; ++i)
      dw.push_back(chain(
          rows, 0.0f, [&](Index k) { return dy[k * out + o]; }, [&](Index k) { return x[k * in + i]; }));
  return dw;
}
std::vector<float> sums(Index rows, Index width, const std::vector<float>& dy) {
  std::vector<float> all(width);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < width; ++c) all[c] += dy[r * width + c];
  return all;
}

/// Returns sums as a product makes them, with denormal numbers flushed to zero.
std::vector<float> flushed_sums(Index rows, Index width, const std::vector<float>& dy) {
  std::vector<float> all(width);
  for (Index r = 0; r < rows; ++r)
    for (Index c = 0; c < width; ++c) all[c] = flush(all[c] + dy[r * width + c]);
  return all;
}

bool equal(const std::vector<float>& expected, const float* found) {
  return std::equal(expected.begin(), expected.end(), found);
}

/// Returns |a - b| / |b|.
double distance(const std::vector<float>& a, const std::vector<float>& b) {
  double squares = 0, length = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    squares += (double(a[i]) - b[i]) * (double(a[i]) - b[i]);
    length += double(b[i]) * b[i];
  }
  return std::sqrt(squares / length);
}

}  // namespace

TEST_CASE("Mlp: a chunk through two layers in bf16 has the bits of the definition and is near fp32") {
  struct Shape {
    Index rows, in, hidden, out;
    float scale = 1.0f;  // of the upstream gradient
  };
  for (const Shape s : {Shape{128, 13, 512, 16},
                        {127, 300, 40, 33},
                        {7, 5, 3, 2},
                        {1, 1, 2, 3},
                        {64, 16, 270, 32},
                        {128, 600, 530, 20},
                        {31, 18, 70, 35, 0x1p-123f}}) {
    const Index b1 = s.hidden * s.in, w2 = b1 + s.hidden, b2 = w2 + s.out * s.hidden, size = b2 + s.out;
    const std::vector<float> parameters = numbers(1, size), x = numbers(2, s.rows * s.in);
    std::vector<float> upstream = numbers(3, s.rows * s.out);
    for (float& v : upstream) v *= s.scale;
    const std::vector<LinearLayer> layers{{s.in, s.hidden, 0, b1, Activation::relu},
                                          {s.hidden, s.out, w2, b2, Activation::none}};
    struct Found {
      std::vector<float> y, dx, gradient;
    };
    const auto run = [&](products::Precision precision) {
      test::MlpAlone mlp(layers, parameters.data(), precision);
      Found found{std::vector<float>(s.rows * s.out), std::vector<float>(x.size()), std::vector<float>(size)};
      std::vector<float> other(128 * std::max(s.in, s.out), 0.5f), unseen(128 * s.out);  // of a longer chunk before
      mlp.forward(128, other.data(), unseen.data());
      mlp.backward(128, false, found.gradient.data(), other.data(), nullptr);
      mlp.forward(s.rows, x.data(), found.y.data());
      for (const bool add : {false, true})
        mlp.backward(s.rows, add, found.gradient.data(), upstream.data(), found.dx.data());
      return found;
    };
    const auto rounded_range = [&](Index at, Index n) {
      return rounded({parameters.begin() + at, parameters.begin() + at + n});
    };
    const std::vector<float> rw1 = rounded_range(0, b1), rw2 = rounded_range(w2, b2 - w2), rx = rounded(x),
                             rdy = rounded(upstream);
    std::vector<float> h = linear(s.rows, s.in, s.hidden, rx, rw1, &parameters[b1]);
    for (float& v : h) v = std::max(v, 0.0f);
    const std::vector<float> rh = rounded(h);
    std::vector<float> dh = input_gradient(s.rows, s.hidden, s.out, rdy, rw2);
    for (std::size_t i = 0; i < dh.size(); ++i) dh[i] = h[i] > 0.0f ? dh[i] : 0.0f;
    const std::vector<float> rdh = rounded(dh);

    INFO(instruction_set() << ", " << s.rows << " rows, " << s.in << "-" << s.hidden << "-" << s.out);
    const Found found = run(products::Precision::bf16), fp32 = run(products::Precision::fp32);
    CHECK(equal(linear(s.rows, s.hidden, s.out, rh, rw2, &parameters[b2]), found.y.data()));
    CHECK(equal(input_gradient(s.rows, s.in, s.hidden, rdh, rw1), found.dx.data()));
    const std::pair<Index, std::vector<float>> expected[] = {{0, weight_gradient(s.rows, s.in, s.hidden, rdh, rx)},
                                                             {b1, flushed_sums(s.rows, s.hidden, dh)},
                                                             {w2, weight_gradient(s.rows, s.hidden, s.out, rdy, rh)},
                                                             {b2, sums(s.rows, s.out, upstream)}};
    for (const auto& [at, once] : expected) {
      std::vector<float> twice = once;
      for (float& v : twice) v += v;
      INFO("from " << at);
      CHECK(equal(twice, found.gradient.data() + at));
    }
    CHECK(distance(found.y, fp32.y) < 0.01);
    if (s.scale == 1.0f) CHECK(distance(found.gradient, fp32.gradient) < 0.05);
    CHECK_FALSE(found.y == fp32.y);
  }
}

TEST_CASE("make_layer: every layer of matrix products takes bf16 for any rows and is near fp32") {
  const LayerSettings kinds[] = {
      {.type = "mlp", .widths = {33, 1, 5}, .activations = {Activation::gelu, Activation::relu, Activation::none}},
      {.type = "mlp", .widths = {20, 1}, .bias = false},
      {.type = "cross", .layers = 2},
      {.type = "cross", .layers = 2, .rank = 5},
      {.type = "mixture_cross", .layers = 2, .rank = 5, .experts = 2}};
  const Index in = 19;
  for (LayerSettings settings : kinds) {
    INFO(instruction_set() << ", " << settings.type << ", rank " << settings.rank);
    const auto alone = [&](products::Precision precision, const std::vector<float>& parameters) {
      settings.precision = precision;
      return test::LayerAlone(settings, {{{in}}}, parameters);
    };
    std::vector<float> parameters = numbers(1, alone(products::Precision::fp32, {}).layer().size());
    for (float& v : parameters) v *= 0.3f;
    test::LayerAlone fp32 = alone(products::Precision::fp32, parameters),
                     bf16 = alone(products::Precision::bf16, parameters);
    const Index rows = 37, width = fp32.layer().width();
    const std::vector<float> x = numbers(2, rows * in), upstream = numbers(3, rows * width);
    const std::vector<float> y = bf16.forward(rows, {x}), wide_y = fp32.forward(rows, {x});
    CHECK(distance(y, wide_y) < 0.02);
    CHECK_FALSE(y == wide_y);
    const auto back = bf16.backward(upstream), wide = fp32.backward(upstream);
    CHECK(distance(back.inputs[0], wide.inputs[0]) < 0.1);
    CHECK(distance(back.parameters, wide.parameters) < 0.1);
    for (const Index few : {1, 8}) {
      const std::vector<float> first_rows = bf16.forward(few, {{x.begin(), x.begin() + few * in}});
      CHECK(std::equal(first_rows.begin(), first_rows.end(), y.begin()));
    }
  }
}

TEST_CASE("mlp: a layer of one neuron stays in fp32") {
  const Index rows = 9, in = 40;
  std::vector<float> y[2], gradients[2];
  for (const products::Precision precision : {products::Precision::fp32, products::Precision::bf16}) {
    test::LayerAlone layer({.type = "mlp", .widths = {1}, .precision = precision}, {{{in}}}, numbers(1, 64));
    y[int(precision)] = layer.forward(rows, {numbers(2, rows * in)});
    gradients[int(precision)] = layer.backward(numbers(3, rows)).parameters;
  }
  CHECK(y[0] == y[1]);
  CHECK(gradients[0] == gradients[1]);
}
