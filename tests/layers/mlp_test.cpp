// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "mlp_alone.hpp"
#include <tesserec/core/random.hpp>

using namespace tesserec;
using namespace tesserec::layers;

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

TEST_CASE("Mlp: gradients are slopes and a second chunk is added") {
  const auto last = GENERATE(Activation::none, Activation::relu, Activation::sigmoid, Activation::tanh,
                             Activation::gelu, Activation::swish);
  const Activation first = last == Activation::none ? Activation::relu : last;
  const std::vector<LinearLayer> layers{{5, 7, 0, 48, first}, {7, 4, 64, 96, Activation::relu}, {4, 3, 112, 128, last}};
  const Index rows = 16, size = 144;
  const Random random(4, Purpose::test);
  Vector<float> parameters = make_vector<float>(Exec(), "tesserec::test::parameters", size),
                gradient = make_vector<float>(Exec(), "tesserec::test::gradient", size);
  for (Index i = 0; i < size; ++i) parameters(i) = 0.5f * random.normal(i, 0);
  std::vector<float> x(rows * 5), upstream(rows * 3), y(rows * 3), dx(rows * 5);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.normal(static_cast<Index>(i), 2);
  for (std::size_t i = 0; i < upstream.size(); ++i) upstream[i] = random.normal(static_cast<Index>(i), 4);

  test::MlpAlone alone(layers, parameters.data());
  const Mlp& mlp = alone.mlp;
  const auto chunk = [&](bool add) {
    alone.forward(rows, x.data(), y.data());
    alone.backward(rows, add, gradient.data(), upstream.data(), dx.data());
  };
  chunk(false);
  std::vector<double> p(parameters.data(), parameters.data() + size), xd(x.begin(), x.end());
  const auto slope = [&](double& at) {
    const double start = at, h = 1e-6;
    at = start + h;
    const double above = objective(mlp, rows, p, xd, upstream);
    at = start - h;
    const double below = objective(mlp, rows, p, xd, upstream);
    at = start;
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
