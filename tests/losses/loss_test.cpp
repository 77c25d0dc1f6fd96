// SPDX-License-Identifier: Apache-2.0
#include <cmath>
#include <vector>

#include "catch.hpp"
#include "digest.hpp"
#include "loss_alone.hpp"
#include <tesserec/losses/loss_types.hpp>

using namespace tesserec;
using namespace tesserec::losses;

TEST_CASE("LossFormula: gradients of of_logit() are slopes and losses agree with of_probability()") {
  for (const Loss type : {Loss::bce, Loss::mse, Loss::wbce})
    for (const double threshold : {0.0, 0.1}) {
      const SampleLoss settings{type, threshold, {0.7, 2.5}};
      for (const double label : {0.0, 0.3, 1.0})
        for (double z = -6.03; z < 6.0; z += 0.25) {
          const double h = 1e-5;
          const double slope =
              (loss_of_logit(settings, z + h, label).value - loss_of_logit(settings, z - h, label).value) / (2 * h);
          const LossValue loss = loss_of_logit(settings, z, label);
          REQUIRE(loss.gradient == Approx(slope).margin(1e-8));
          const double p = probability({type, 0.0, {}}, z);
          REQUIRE(loss_of_probability(settings, p, label).value == Approx(loss.value).margin(1e-12));
          REQUIRE(probability(settings, z) >= threshold - 1e-7);
          REQUIRE(probability(settings, z) <= 1.0 - threshold + 1e-7);
        }
    }
}

TEST_CASE("LossFormula: stays finite at extreme logits and NaN stays NaN") {
  for (const Loss type : {Loss::bce, Loss::mse, Loss::wbce})
    for (const double threshold : {0.0, 0.01})
      for (const double label : {0.0, 1.0}) {
        const SampleLoss settings{type, threshold, {1.0, 1.0}};
        for (const double z : {-1e30, -800.0, -40.0, 0.0, 40.0, 800.0, 1e30}) {
          const LossValue loss = loss_of_logit(settings, z, label);
          REQUIRE(std::isfinite(loss.value));
          REQUIRE(std::isfinite(loss.gradient));
          REQUIRE(std::isfinite(probability(settings, z)));
        }
        REQUIRE(std::isnan(loss_of_logit(settings, NAN, label).value));
      }
  REQUIRE(loss_of_logit({}, 800.0, 0.0).value == 800.0);
  REQUIRE(loss_of_logit({Loss::wbce, 0.0, {1.0, 1.0}}, 800.0, 0.0).value == 100.0);
}

TEST_CASE("LossFunction: evaluate() multiplies by weights and divides gradients by the global batch") {
  const std::vector<float> logits{0.5f, -1.0f, 2.0f}, labels{1.0f, 0.0f, 0.0f}, weights{0.5f, 3.0f, 0.0f};
  for (const float* given : {static_cast<const float*>(nullptr), weights.data()}) {
    std::vector<float> gradient(3);
    std::vector<double> losses(3);
    const OnePiece piece(3);
    loss_type("bce").make({})->evaluate({}, {3, 10, piece.pieces(), {logits.data(), 1, 1}, labels.data(), given},
                                        losses.data(), {gradient.data(), 1, 1});
    for (int i = 0; i < 3; ++i) {
      const LossValue loss = loss_of_logit({}, logits[i], labels[i]);
      const double weight = given == nullptr ? 1.0 : given[i];
      REQUIRE(losses[i] == weight * loss.value);
      REQUIRE(gradient[i] == static_cast<float>(weight * loss.gradient / 10.0));
    }
  }
}

TEST_CASE("LossFormula: has the bits it had when this was written") {
  std::vector<double> values;
  for (const Loss type : {Loss::bce, Loss::mse, Loss::wbce})
    for (const double threshold : {0.0, 0.01})
      for (Index i = -400; i <= 400; ++i) {
        const double logit = static_cast<double>(i) / 16;
        for (const double label : {0.0, 1.0}) {
          const LossValue loss = loss_of_logit({type, threshold, {0.3, 0.7}}, logit, label);
          values.insert(values.end(), {loss.value, loss.gradient});
        }
      }
  CHECK(test::digest(values) == 0x242e8575d732cd63);
}
