// SPDX-License-Identifier: Apache-2.0
// Two labels, of which samples lack some, with sample weights: loss and gradients of a small MLP as PyTorch 2 computes
// them in double precision, by binary_cross_entropy_with_logits(z[has, t], y[has, t], weight=w[has]) of each label t,
// times 1 and 0.25.
#include <cmath>
#include <limits>
#include <map>

#include "catch.hpp"
#include <tesserec/network.hpp>

using namespace tesserec;

namespace {

constexpr float lacking = std::numeric_limits<float>::quiet_NaN();

const std::map<std::string, std::vector<float>> parameters = {
    {"top.0.weight", {0.5f, -0.25f, 0.75f, 1.0f, -1.0f, 0.125f}},
    {"top.0.bias", {0.1f, -0.2f, 0.3f}},
    {"top.1.weight", {1.0f, -0.5f, 0.25f, -0.75f, 0.5f, 1.5f}},
    {"top.1.bias", {0.05f, -0.1f}}};

const std::map<std::string, std::vector<double>> gradients = {
    {"pooled",
     {-0.0235910933396, 0.184530211921, -0.0176280775007, 0.00220350968759, -0.0299845660095, 0.0149922830047, 0,
      -0.0276615204833, -0.0548532332066, 0.00685665415082}},
    {"top.0.weight",
     {-0.220244444004, -0.366198206523, 0.0853902722068, 0.241191687462, -0.0636672719569, -0.0504462138314}},
    {"top.0.bias", {-0.265412931172, 0.105507741649, 0.0724813107073}},
    {"top.1.weight", {-0.141719336056, -0.481258304128, 0.316423553761, -0.128807163424, 0.0870073824463, 0}},
    {"top.1.bias", {-0.0433287525754, -0.09045475231}}};

void check_near(const std::vector<double>& expected, const float* got) {
  for (std::size_t i = 0; i < expected.size(); ++i) CHECK(got[i] == Approx(expected[i]).epsilon(2e-6).margin(1e-8));
}

}  // namespace

TEST_CASE("Network: two labels with masks have PyTorch's loss and gradients") {
  network::Settings settings;
  settings.type = "network";
  settings.kernels = GENERATE(Kernels::simd, Kernels::portable);
  settings.tasks = {"click", "buy"};
  settings.layers = {{.name = "top",
                      .type = "mlp",
                      .inputs = {"pooled"},
                      .widths = {3, 2},
                      .activations = {layers::Activation::relu, layers::Activation::none}}};
  const network::Network network(settings, 0, std::vector<Index>{2});
  const Exec exec;
  const Vector<float> flat = make_vector<float>(exec, "tesserec::test::parameters", network.parameters());
  for (const network::Parameter& p : network.layout())
    std::copy(parameters.at(p.name).begin(), parameters.at(p.name).end(), flat.data() + p.offset);

  const std::vector<float> x{1.0f, 2.0f, -0.5f, 0.25f, 0.75f, -1.5f, 2.0f, 0.5f, -1.0f, -1.0f};
  const std::vector<float> labels{1, 0, 0, lacking, 1, 1, lacking, 1, 0, lacking},
      weights{1.0f, 0.5f, 2.0f, 1.0f, 1.5f};
  const std::vector<float> scales{1.0f * 5 / 4, 0.25f * 5 / 3};  // weight * samples / samples with the label
  std::vector<float> probabilities(10), pooled_gradient(10);
  LaneSums sums(exec, network.parameters());
  network::DenseInput input{Lanes(1), {0, 1}, 5};
  input.pooled = x.data();
  input.labels = labels.data();
  input.weights = weights.data();
  input.probabilities = probabilities.data();
  input.task_scales = scales.data();
  const double loss = network.forward_backward(exec, flat, input, pooled_gradient.data(), sums).get()[0];

  CHECK(loss == Approx(1.31442660903083).epsilon(1e-6));
  check_near({0.245085013132, 0.750260105595, 0.564098480023, 0.758939660128, 0.710949502625, 0.323551066652,
              0.531209373374, 0.517180733382, 0.585101154203, 0.840573312922},
             probabilities.data());
  check_near(gradients.at("pooled"), pooled_gradient.data());
  const Vector<float> sum = sums.sum(0).host();
  for (const network::Parameter& p : network.layout()) {
    INFO(p.name);
    check_near(gradients.at(p.name), sum.data() + p.offset);
  }
}
