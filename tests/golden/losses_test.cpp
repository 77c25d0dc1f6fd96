// SPDX-License-Identifier: Apache-2.0
// Losses against facebookresearch/dlrm's, with and without its clamp, as torch computes them.
#include "catch.hpp"
#include "golden.hpp"
#include "loss_alone.hpp"

using namespace tesserec;

namespace {

/// Compares each element by itself, because gradients span many decades.
void check_each(const std::vector<double>& got, const std::vector<float>& want) {
  REQUIRE(got.size() == want.size());
  for (std::size_t i = 0; i < got.size(); ++i) {
    INFO("element " << i << " is " << got[i] << ", not " << want[i]);
    CHECK(std::abs(got[i] - want[i]) <= 2e-6 * std::abs(want[i]));
  }
}

}  // namespace

TEST_CASE("LossFormula: golden values and gradients of bce and mse and wbce") {
  const store::File file = golden::open("interactions.h5");
  const auto labels = file.read_all<float>("loss/label"), probabilities = file.read_all<float>("loss/probability");
  const auto n = static_cast<double>(labels.size());
  const auto threshold = file.attribute<double>("loss", "threshold");
  int seen = 0;
  for (const std::string& name : file.names("loss")) {
    const std::string group = "loss/" + name;
    if (!file.exists(group + "/value")) continue;
    INFO(group);
    const bool on_logits = file.exists(group + "/logit");
    losses::SampleLoss settings;
    settings.type = name.rfind("mse", 0) == 0    ? losses::Loss::mse
                    : name.rfind("wbce", 0) == 0 ? losses::Loss::wbce
                                                 : losses::Loss::bce;
    settings.threshold = name.find("clamped") != std::string::npos ? threshold : 0.0;
    settings.weight = {file.attribute<double>("loss", "weight_of_label_0"),
                       file.attribute<double>("loss", "weight_of_label_1")};
    const auto at = on_logits ? file.read_all<float>(group + "/logit") : probabilities;
    double sum = 0.0;
    std::vector<double> gradient(labels.size());
    for (std::size_t i = 0; i < labels.size(); ++i) {
      const losses::LossValue loss = on_logits ? losses::loss_of_logit(settings, at[i], labels[i])
                                               : losses::loss_of_probability(settings, at[i], labels[i]);
      sum += loss.value;
      gradient[i] = loss.gradient / n;
    }
    const double value = file.read_all<double>(group + "/value").at(0);
    INFO("value " << sum / n << ", not " << value);
    CHECK(std::abs(sum / n - value) <= 2e-6 * std::abs(value));
    check_each(gradient, file.read_all<float>(group + (on_logits ? "/grad_logit" : "/grad_probability")));
    ++seen;
  }
  REQUIRE(seen == 7);
}
