// SPDX-License-Identifier: Apache-2.0
// Layers that read one vector an id.
#include "digest.hpp"
#include "errors.hpp"
#include "slopes.hpp"

using namespace tesserec;
using namespace tesserec::test;
using layers::Activation;

namespace {

const LayerSettings joined{.name = "all", .type = "cat", .inputs = {"dense", "pooled", "seen"}};
const LayerSettings logit{.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}};

std::string refused(const std::vector<LayerSettings>& layers) {
  return error_of([&] { Network(model_of(layers), 4, features_of(layers)); });
}
std::string refused(const LayerSettings& seen) { return refused({seen, joined, logit}); }

}  // namespace

TEST_CASE("attention: gradients over a history are slopes with and without softmax") {
  for (const bool softmax : {false, true})
    for (const std::vector<Index>& widths : {std::vector<Index>{3}, std::vector<Index>{3, 2}}) {
      INFO("softmax " << softmax << ", " << widths.size() << " hidden layers");
      Run run({{.name = "seen",
                .type = "attention",
                .inputs = {"pooled.item", "unpooled.history"},
                .widths = widths,
                .softmax = softmax},
               joined,
               logit});
      REQUIRE(run.network.layers()[0].width == 2);
      check_slopes(run);
    }
}

TEST_CASE("attention: reads another layer's output and softmax of equal vectors gives their mean") {
  Run run({{.name = "target", .type = "mlp", .inputs = {"dense"}, .widths = {2}, .activations = {Activation::tanh}},
           {.name = "seen", .type = "attention", .inputs = {"target", "unpooled.history"}, .widths = {2}},
           joined,
           logit});
  check_slopes(run);
  // Softmax weights of equal vectors give their mean.
  Run mean({{.name = "seen",
             .type = "attention",
             .inputs = {"pooled.item", "unpooled.history"},
             .widths = {2},
             .softmax = true},
            {.name = "logit", .type = "mlp", .inputs = {"seen"}, .widths = {1}},
            {.name = "sides", .type = "cat", .inputs = {"pooled"}},
            {.name = "side", .type = "mlp", .inputs = {"sides"}, .widths = {1}},
            {.name = "sum", .type = "sum", .inputs = {"logit", "side"}}});
  const Matrix<float>& vectors = mean.unpooled[0].values;
  for (std::size_t i = 0; i < vectors.size(); ++i) vectors.data()[i] = i % 2 ? 2.0f : -1.0f;
  const double before = mean.loss();
  const auto& offsets = mean.unpooled[0].offsets;  // one vector a sample instead of several
  for (Index s = 0, at = 0; s < Run::samples; ++s) {
    const Index length = offsets(s + 1) > at ? 1 : 0;
    at = offsets(s + 1);
    offsets(s + 1) = offsets(s) + length;
  }
  REQUIRE(mean.loss() == Approx(before).epsilon(1e-6));
}

TEST_CASE("weighted_sum: gradients are slopes by positions and by ids and the last position is shared") {
  Run positions(
      {{.name = "seen", .type = "weighted_sum", .inputs = {"unpooled.history"}, .positions = 4}, joined, logit});
  REQUIRE(positions.network.layout()[0].rows == 4);
  for (Index i = 0; i < 4; ++i) CHECK(positions.parameters(i) == 1.0f);
  check_slopes(positions);
  for (Index i = 0; i < 4; ++i) CHECK(std::abs(positions.slope(positions.parameters(i))) > 1e-4);
  Run ids({{.name = "seen", .type = "weighted_sum", .inputs = {"unpooled.history@weights", "unpooled.history"}},
           joined,
           logit});
  check_slopes(ids);
}

TEST_CASE("Network: throws if a layer cannot take a sequence or no layer reads it") {
  const auto attention = [](std::vector<std::string> inputs) {
    return LayerSettings{.name = "seen", .type = "attention", .inputs = std::move(inputs), .widths = {2}};
  };
  CHECK(mentions(refused({.name = "seen", .type = "cat", .inputs = {"unpooled.history"}}),
                 "model.layer.seen: unpooled.history is a sequence, one vector an id, which cat does not take; "
                 "use a layer of type gated, attention, weighted_sum"));
  CHECK(mentions(refused(attention({"pooled.user", "unpooled.history"})), "user has 3 numbers"));
  CHECK(mentions(refused(attention({"unpooled.history", "pooled.item"})), "the target and a sequence"));
  CHECK(mentions(refused(attention({"pooled.item", "unpooled.purchases"})),
                 "but no earlier layer or input has this name"));
  CHECK(mentions(refused({.name = "seen", .type = "weighted_sum", .inputs = {"unpooled.history"}}), "and positions"));
  CHECK(mentions(refused({.name = "seen",
                          .type = "weighted_sum",
                          .inputs = {"unpooled.history@weights", "unpooled.history@weights"},
                          .positions = 3}),
                 "or two sequences"));
  CHECK(mentions(
      refused({.name = "seen", .type = "weighted_sum", .inputs = {"unpooled.history", "unpooled.history@weights"}}),
      "has 2 numbers"));
  const std::vector<LayerSettings> layers = {{.name = "all", .type = "cat", .inputs = {"dense", "pooled"}}, logit};
  EmbeddedFeatures features = features_of({attention({"pooled.item", "unpooled.history"})});
  CHECK(mentions(error_of([&] { Network(model_of(layers), 4, features); }), "no layer reads \"unpooled.history\""));
}

TEST_CASE("attention and weighted_sum: have the bits they had when this was written") {
  Run run({{.name = "seen",
            .type = "attention",
            .inputs = {"pooled.item", "unpooled.history"},
            .widths = {5},
            .softmax = true},
           {.name = "sums", .type = "weighted_sum", .inputs = {"unpooled.history"}, .positions = 4},
           {.name = "all", .type = "cat", .inputs = {"dense", "pooled", "seen", "sums"}},
           logit});
  std::vector<float> all{float(run.loss())};
  const float* const gradient = run.gradients.sum(0).data();
  all.insert(all.end(), gradient, gradient + run.network.parameters());
  all.insert(all.end(), run.pooled_gradient.begin(), run.pooled_gradient.end());
  const Matrix<float>& slopes = run.unpooled_gradient[0].values;
  all.insert(all.end(), slopes.data(), slopes.data() + slopes.size());
  CHECK(test::digest(all) == 0x2120e7b63682abe6);
}
