// SPDX-License-Identifier: Apache-2.0
// Networks other than DLRM: values with several readers, features that are read separately, and wrong lists of
// layers.
#include <cmath>

#include "errors.hpp"
#include "slopes.hpp"
#include <tesserec/core/text.hpp>

using namespace tesserec;
using namespace tesserec::test;
using layers::Activation;

namespace {

std::string refused(const std::vector<LayerSettings>& layers, Index dense_features = 4) {
  return error_of([&] { Network(model_of(layers), dense_features, features_of(layers)); });
}

}  // namespace

TEST_CASE("Network: a value with several readers gets the sum of their gradients") {
  Run run({{.name = "hidden", .type = "mlp", .inputs = {"dense"}, .widths = {3}},
           {.name = "left", .type = "mlp", .inputs = {"hidden"}, .widths = {2}},
           {.name = "all", .type = "cat", .inputs = {"hidden", "left", "hidden", "pooled"}},
           {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}});
  check_slopes(run);
}

TEST_CASE("Network: features are read separately and together with others in any order") {
  Run run({{.name = "two", .type = "cat", .inputs = {"pooled.shop", "pooled.item"}},
           {.name = "user", .type = "mlp", .inputs = {"pooled.user"}, .widths = {2}},
           {.name = "cross", .type = "dot", .inputs = {"pooled.item", "user", "pooled.shop"}},
           {.name = "all", .type = "cat", .inputs = {"cross", "two", "pooled", "user", "dense"}},
           {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}});
  check_slopes(run);
}

TEST_CASE("Network: one feature's gradient is written before the gradient of all features is added") {
  // The backward pass begins with "logit", which writes the gradient of one feature; then "all" adds to every
  // feature.
  Run run({{.name = "all", .type = "mlp", .inputs = {"pooled"}, .widths = {2}},
           {.name = "both", .type = "cat", .inputs = {"all", "pooled.item"}},
           {.name = "logit", .type = "mlp", .inputs = {"both"}, .widths = {1}}});
  check_slopes(run);
}

TEST_CASE("Network: works without dense features and without parameters before a layer") {
  Run run({{.name = "logit", .type = "mlp", .inputs = {"pooled"}, .widths = {1}}});
  check_slopes(run);
  REQUIRE(run.network.layers()[0].wants_input_gradient);
  Run wide({{.name = "side", .type = "cat", .inputs = {"dense"}},
            {.name = "all", .type = "cat", .inputs = {"side", "pooled"}},
            {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}});
  check_slopes(wide);
  REQUIRE_FALSE(wide.network.layers()[0].wants_input_gradient);
}

TEST_CASE("Network: layers of all kinds have gradients that are slopes") {
  const std::vector<LayerSettings> kinds = {
      {.type = "cross", .layers = 2},        {.type = "cross", .layers = 2, .rank = 2},
      {.type = "vector_cross", .layers = 2}, {.type = "layer_norm"},
      {.type = "dropout", .rate = 0.3},      {.type = "mlp", .widths = {3, 2}, .activations = {Activation::gelu}}};
  for (LayerSettings layer : kinds) {
    INFO(layer.type << ", rank " << layer.rank);
    layer.name = "layer", layer.inputs = {"all"};
    Run run({{.name = "all", .type = "cat", .inputs = {"pooled", "dense"}},
             layer,
             {.name = "logit", .type = "mlp", .inputs = {"layer"}, .widths = {1}}});
    check_slopes(run);
  }
}

TEST_CASE("mixture_cross: gradients are slopes at inputs where no relu has a corner") {
  Run run({{.name = "all", .type = "cat", .inputs = {"pooled", "dense"}},
           {.name = "cross", .type = "mixture_cross", .inputs = {"all"}, .layers = 2, .rank = 2, .experts = 2},
           {.name = "logit", .type = "mlp", .inputs = {"cross"}, .widths = {1}}});
  for (auto* numbers : {&run.dense, &run.pooled})
    for (float& number : *numbers) number = 0.1f + 0.3f * std::abs(number);
  for (Index i = 0; i < run.network.parameters(); ++i) run.parameters(i) = 0.3f * std::abs(run.parameters(i));
  check_slopes(run);
}

TEST_CASE("Network: product and multiply and score of two inputs have gradients that are slopes") {
  Run product({{.name = "left", .type = "mlp", .inputs = {"pooled"}, .widths = {6}, .activations = {Activation::tanh}},
               {.name = "right", .type = "mlp", .inputs = {"dense"}, .widths = {4}, .activations = {Activation::none}},
               {.name = "product", .type = "product", .inputs = {"left", "right"}, .dim = 2},
               {.name = "logit", .type = "mlp", .inputs = {"product"}, .widths = {1}}});
  REQUIRE(product.network.layers()[2].width == 6);
  check_slopes(product);
  Run multiply({{.name = "left", .type = "mlp", .inputs = {"pooled.user"}, .widths = {2}, .bias = false},
                {.name = "both", .type = "multiply", .inputs = {"pooled.item", "left"}},
                {.name = "all", .type = "cat", .inputs = {"both", "pooled"}},
                {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}});
  CHECK(multiply.network.layers()[0].parameters == 6);
  check_slopes(multiply);
  Run score({{.name = "left", .type = "sum", .inputs = {"pooled.item", "pooled.shop"}},
             {.name = "right", .type = "mlp", .inputs = {"pooled.user"}, .widths = {2}},
             {.name = "logit", .type = "score", .inputs = {"left", "right"}}});
  check_slopes(score);
}

TEST_CASE("pooled: patterns select features and rest selects the others") {
  Run run({{.name = "two", .type = "cat", .inputs = {"pooled.[us]*"}},
           {.name = "others", .type = "cat", .inputs = {"rest", "two"}},
           {.name = "logit", .type = "mlp", .inputs = {"others"}, .widths = {1}}});
  const auto names = [&](std::size_t layer, std::size_t input) {
    return join(run.network.layers()[layer].inputs[input].names);
  };
  REQUIRE(run.network.layers()[0].inputs.size() == 2);  // two features that are not adjacent
  CHECK(names(0, 0) == "user");
  CHECK(names(0, 1) == "shop");
  CHECK(names(1, 0) == "item");
  check_slopes(run);
}

TEST_CASE("rest: leaves out features that are read by name") {
  const std::vector<LayerSettings> layers{
      {.name = "side", .type = "mlp", .inputs = {"pooled.user"}, .widths = {1}},
      {.name = "others", .type = "cat", .inputs = {"dense", "rest"}},
      {.name = "deep", .type = "mlp", .inputs = {"others"}, .widths = {1}},
      {.name = "logit", .type = "sum", .inputs = {"side", "deep"}},
  };
  const auto made = [&](const std::vector<EmbeddedFeature>& pooled) {
    Network(model_of(layers), 4, EmbeddedFeatures{pooled});
  };
  CHECK_NOTHROW(made({{"user", 3}, {"item", 2}}));
  CHECK(mentions(error_of([&] { made({{"user", 3}}); }), "model.layer.others reads \"rest\", but earlier layers"));
  Run all({{.name = "first", .type = "mlp", .inputs = {"rest"}, .widths = {2}},  // all features: none is read by name
           {.name = "both", .type = "cat", .inputs = {"first", "rest"}},
           {.name = "logit", .type = "mlp", .inputs = {"both"}, .widths = {1}}});
  check_slopes(all);
}

TEST_CASE("Network: layers replace the pooled vectors of cut and narrow tables") {
  using embedding::QrOperation;
  const std::vector<LayerSettings> layers{
      {.name = "item", .type = "mlp", .inputs = {"pooled.item"}, .widths = {2}},
      {.name = "others", .type = "cat", .inputs = {"rest"}},
      {.name = "all", .type = "cat", .inputs = {"pooled", "item", "others"}},
      {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}},
  };
  for (const QrOperation operation : {QrOperation::add, QrOperation::mult, QrOperation::concat})
    for (const Index projection : {0, 3}) {
      INFO("operation " << int(operation) << ", projection " << projection);
      Run run(layers, "bce",
              {{"user@u", 3, "user", 4},
               {"item@i_quotient", 2, "item", projection, operation},
               {"item@i_remainder", 2, "item", projection, operation}});
      const Index item = projection > 0 ? projection : operation == QrOperation::concat ? 4 : 2;
      const auto& made = run.network.layers();
      const std::size_t first = made.size() - layers.size();
      CHECK(first == (projection > 0 ? 3 : 2));
      CHECK(made[first].inputs[0].vectors == std::vector<Index>{item});
      CHECK(join(made[first + 1].inputs[0].names) == "user");
      CHECK(made[first + 2].width == 4 + item + 2 + 4);
      check_slopes(run);
    }
}

TEST_CASE("in_batch_softmax: gradients over the items of a chunk are slopes") {
  Run run({{.name = "query", .type = "mlp", .inputs = {"dense"}, .widths = {3}},
           {.name = "items", .type = "cat", .inputs = {"pooled.item", "rest"}},
           {.name = "item", .type = "mlp", .inputs = {"items"}, .widths = {3}},
           {.name = "both", .type = "cat", .inputs = {"query", "item"}}},
          "in_batch_softmax");
  check_slopes(run);
  // A weight multiplies the label.
  const double weighted = run.loss();
  for (std::size_t i = 0; i < run.labels.size(); ++i) run.labels[i] *= run.weights[i];
  CHECK(run.loss() != weighted);
  run.weights.assign(run.weights.size(), 1.0f);
  CHECK(run.loss() == weighted);
}

TEST_CASE("fm: gradients are slopes if other layers read its inputs too") {
  Run run({{.name = "fm", .type = "fm", .inputs = {"pooled", "dense", "pooled.item"}},
           {.name = "all", .type = "cat", .inputs = {"pooled", "fm"}},
           {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}});
  check_slopes(run);
}

TEST_CASE("add_layer_type: adds a type for networks and throws for a second one of its name") {
  const auto side_by_side = [](const LayerSettings& settings, const std::vector<layers::InputShape>& inputs) {
    LayerSettings cat = settings;
    cat.type = "cat";
    return make_layer(cat, inputs);
  };
  layers::add_layer_type({"side_by_side", "", {}, side_by_side});
  CHECK(mentions(error_of([&] {
                   layers::add_layer_type({"side_by_side", "", {}, side_by_side});
                 }),
                 "\"side_by_side\"; choose another name"));
  Run run({{.name = "all", .type = "side_by_side", .inputs = {"pooled", "dense"}},
           {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}});
  check_slopes(run);
}

TEST_CASE("Network: throws with the layer's name and what would fit for a wrong list") {
  const LayerSettings logit{.name = "logit", .type = "mlp", .inputs = {"pooled"}, .widths = {1}};
  const auto with = [&](const LayerSettings& first) { return refused({first, logit}); };
  CHECK(mentions(refused({}), "model.layer is missing"));
  CHECK(mentions(with({.name = "a", .type = "add", .inputs = {"dense"}}),
                 "model.layer.a: there is no layer type \"add\""));
  CHECK(mentions(with({.name = "a", .type = "add", .inputs = {"dense"}}), "mlp, dot, cat"));
  CHECK(mentions(with({.name = "a", .type = "cat", .inputs = {"logit"}}),
                 "model.layer.a reads \"logit\", which comes after it"));
  CHECK(mentions(with({.name = "a", .type = "cat", .inputs = {"pooled.shape"}}), "pooled.shop"));
  CHECK(mentions(with({.name = "a", .type = "cat", .inputs = {"a"}}),
                 "model.layer.a reads \"a\", which is the layer itself"));
  CHECK(mentions(with({.name = "a", .type = "cat", .inputs = {"dense"}}), "model.layer.a is read by no layer"));
  CHECK(mentions(with({.name = "logit", .type = "cat", .inputs = {"dense"}}), "two layers have this name"));
  CHECK(mentions(with({.name = "dense", .type = "cat", .inputs = {"dense"}}), "is reserved for an input"));
  CHECK(mentions(with({.type = "cat", .inputs = {"dense"}}), "model.layer.0 has no name"));
  CHECK(mentions(with({.name = "a", .type = "dot", .inputs = {"pooled"}}), "user has 3 numbers and item has 2"));
  CHECK(mentions(with({.name = "a", .type = "mlp", .inputs = {"dense"}}), "model.layer.a: an mlp needs widths"));
  CHECK(mentions(with({.name = "a", .type = "mlp", .inputs = {"dense", "pooled"}, .widths = {1}}),
                 "one input, but has 2"));
  CHECK(mentions(with({.name = "a", .type = "cross", .inputs = {"pooled"}}), "a cross has layers = 0"));
  CHECK(mentions(with({.name = "a", .type = "cross", .inputs = {"pooled"}, .layers = 1, .rank = -1}), "rank = -1"));
  CHECK(mentions(with({.name = "a", .type = "vector_cross", .inputs = {"pooled", "dense"}, .layers = 1}), "but has 2"));
  CHECK(mentions(refused({{.name = "a", .type = "cat", .inputs = {"pooled"}}}),
                 "bce takes one number per sample, the logit, but the last layer, a, gives 7 numbers"));
  CHECK(mentions(refused({{.name = "a", .type = "mlp", .inputs = {"pooled.user"}, .widths = {1}}}),
                 "no layer reads the pooled vector item"));
  CHECK(mentions(refused({{.name = "a", .type = "mlp", .inputs = {"dense"}, .widths = {1}}}, 0), "no dense features"));
}
