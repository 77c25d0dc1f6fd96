// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "aborts.hpp"
#include "catch.hpp"
#include <tesserec/core/random.hpp>
#include <tesserec/dense/mlp.hpp>

using namespace tesserec;
using namespace tesserec::dense;

namespace {

double activated(Activation activation, double x) {
  const double p = 1.0 / (1.0 + std::exp(-x));
  switch (activation) {
    case Activation::relu:
      return std::max(x, 0.0);
    case Activation::sigmoid:
      return p;
    case Activation::tanh:
      return std::tanh(x);
    case Activation::gelu:
      return x * 0.5 * std::erfc(-x / std::sqrt(2.0));
    case Activation::swish:
      return x * p;
    default:
      return x;
  }
}

double objective(const Mlp& mlp, Index rows, const std::vector<double>& parameters, const std::vector<double>& x,
                 const std::vector<float>& upstream) {
  double sum = 0.0;
  for (Index r = 0; r < rows; ++r) {
    std::vector<double> a(x.begin() + r * mlp.input_width(), x.begin() + (r + 1) * mlp.input_width());
    for (const LinearLayer& layer : mlp.layers()) {
      std::vector<double> y(layer.out);
      for (Index o = 0; o < layer.out; ++o) {
        y[o] = parameters[layer.bias + o];
        for (Index i = 0; i < layer.in; ++i) y[o] += a[i] * parameters[layer.weight + o * layer.in + i];
        y[o] = activated(layer.activation, y[o]);
      }
      a = y;
    }
    for (Index o = 0; o < mlp.output_width(); ++o) sum += a[o] * upstream[r * mlp.output_width() + o];
  }
  return sum;
}

}  // namespace

TEST_CASE("an MLP's gradients are its slopes, and a second chunk is added") {
  const auto last = GENERATE(Activation::none, Activation::relu, Activation::sigmoid, Activation::tanh,
                             Activation::gelu, Activation::swish);
  const Activation first = last == Activation::none ? Activation::relu : last;
  const Mlp mlp({{5, 7, 0, 48, first}, {7, 4, 64, 96, Activation::relu}, {4, 3, 112, 128, last}});
  const Index rows = 16, size = 144;
  const Random random(4, Purpose::test);
  Vector<float> parameters = make_vector<float>(Exec(), "tesserec::test::parameters", size),
                gradient = make_vector<float>(Exec(), "tesserec::test::gradient", size);
  for (Index i = 0; i < size; ++i) parameters(i) = 0.5f * random.normal(i, 0);
  std::vector<float> x(rows * 5), upstream(rows * 3), y(rows * 3), dx(rows * 5);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.normal(static_cast<Index>(i), 2);
  for (std::size_t i = 0; i < upstream.size(); ++i) upstream[i] = random.normal(static_cast<Index>(i), 4);

  std::vector<float> weights(mlp.packed_size());
  mlp.pack(Exec(), parameters.data(), true, weights.data());
  MlpWorkspace workspace = mlp.make_workspace(Exec(), 128);
  const auto chunk = [&](bool add) {
    mlp.forward(rows, weights.data(), {x.data(), 5, 5}, {y.data(), 3, 3}, workspace);
    mlp.backward(rows, weights.data(), add, gradient.data(), {upstream.data(), 3, 3}, {dx.data(), 5, 5}, workspace);
  };
  chunk(false);
  std::vector<double> p(parameters.data(), parameters.data() + size), xd(x.begin(), x.end());
  const auto slope = [&](double& at) {
    const double kept = at, h = 1e-6;
    at = kept + h;
    const double above = objective(mlp, rows, p, xd, upstream);
    at = kept - h;
    const double below = objective(mlp, rows, p, xd, upstream);
    at = kept;
    return (above - below) / (2 * h);
  };
  std::vector<float> once(size);
  for (const LinearLayer& layer : mlp.layers()) {
    for (Index i = layer.weight; i < layer.weight + layer.in * layer.out; ++i)
      REQUIRE(gradient(i) == Approx(slope(p[i])).epsilon(2e-5).margin(2e-5));
    for (Index i = layer.bias; i < layer.bias + layer.out; ++i)
      REQUIRE(gradient(i) == Approx(slope(p[i])).epsilon(2e-5).margin(2e-5));
  }
  for (std::size_t i = 0; i < x.size(); ++i) REQUIRE(dx[i] == Approx(slope(xd[i])).epsilon(2e-5).margin(2e-5));

  std::copy_n(gradient.data(), size, once.data());
  chunk(true);
  for (const LinearLayer& layer : mlp.layers()) {
    for (Index i = layer.weight; i < layer.weight + layer.in * layer.out; ++i)
      REQUIRE(gradient(i) == once[i] + once[i]);
    for (Index i = layer.bias; i < layer.bias + layer.out; ++i) REQUIRE(gradient(i) == once[i] + once[i]);
  }
}

#ifndef NDEBUG
TEST_CASE("more rows than a workspace has are a programmer's mistake") {
  const Mlp mlp({{2, 3, 0, 6, Activation::relu}, {3, 2, 9, 15, Activation::none}});
  const std::vector<float> parameters(17, 0.5f), x(2 * 129, 1.0f);
  std::vector<float> gradient(17), y(2 * 129);
  const Rows<const float> in{x.data(), 2, 2};
  const Rows<float> out{y.data(), 2, 2};
  std::vector<float> weights(mlp.packed_size());
  mlp.pack(Exec(), parameters.data(), true, weights.data());
  MlpWorkspace workspace = mlp.make_workspace(Exec(), 128);
  CHECK_FALSE(aborts([&] { mlp.forward(128, weights.data(), in, out, workspace); }));
  CHECK(aborts([&] { mlp.forward(129, weights.data(), in, out, workspace); }));
  CHECK(aborts([&] { mlp.forward(0, 129, weights.data(), workspace); }));
  CHECK(aborts([&] { mlp.backward(129, weights.data(), false, gradient.data(), out, {}, workspace); }));
  CHECK(aborts([&] { mlp.weight_gradient(0, 129, false, gradient.data(), workspace); }));
  CHECK(aborts([&] { mlp.input_gradient(0, 129, weights.data(), workspace); }));
}
#endif
