// SPDX-License-Identifier: Apache-2.0
// Portable kernels, which run a batch layer by layer, against the SIMD chunks: every bit is the same.
#include <algorithm>
#include <cmath>
#include <cstring>

#include "errors.hpp"
#include "left_out.hpp"
#include "slopes.hpp"
#include <tesserec/layers.hpp>
#include <tesserec/losses.hpp>
#include <tesserec/products.hpp>

using namespace tesserec;
using namespace tesserec::test;
using layers::Activation;

namespace {

struct Trained {
  std::vector<double> losses;
  std::vector<float> pooled_gradient, probabilities, predicted;
  std::vector<std::vector<float>> sums, unpooled_gradients;
  std::vector<double> predicted_losses;
};

template <class T>
bool same(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}
/// Returns the largest difference divided by the largest number; 1 if their sizes differ.
template <class T>
double difference(const std::vector<T>& a, const std::vector<T>& b) {
  double deviation = 0, largest = 1e-30;
  for (std::size_t i = 0; i < a.size() && a.size() == b.size(); ++i) {
    deviation = std::max(deviation, std::isfinite(a[i]) ? std::abs(double(a[i]) - b[i]) : 1.0);
    largest = std::max(largest, std::abs(double(b[i])));
  }
  return a.size() == b.size() ? deviation / largest : 1;
}
double difference(const Trained& a, const Trained& b) {
  double largest = std::max({difference(a.losses, b.losses), difference(a.pooled_gradient, b.pooled_gradient),
                             difference(a.predicted, b.predicted)});
  for (std::size_t i = 0; i < a.sums.size(); ++i) largest = std::max(largest, difference(a.sums[i], b.sums[i]));
  return largest;
}
bool same(const Trained& a, const Trained& b) {
  bool all = a.sums.size() == b.sums.size() && a.unpooled_gradients.size() == b.unpooled_gradients.size();
  for (std::size_t i = 0; all && i < a.sums.size(); ++i) all = same(a.sums[i], b.sums[i]);
  for (std::size_t i = 0; all && i < a.unpooled_gradients.size(); ++i)
    all = same(a.unpooled_gradients[i], b.unpooled_gradients[i]);
  return all && same(a.losses, b.losses) && same(a.pooled_gradient, b.pooled_gradient) &&
         same(a.probabilities, b.probabilities) && same(a.predicted, b.predicted) &&
         same(a.predicted_losses, b.predicted_losses);
}

/// A rank's samples of a batch, for any kernels.
class Batch {
 public:
  Batch(network::Settings settings, Index dense_features, EmbeddedFeatures features)
      : settings_(std::move(settings)), dense_features_(dense_features), features_(std::move(features)) {}

  Trained train(Kernels kernels, int lanes, Range own_lanes, Index n,
                products::Precision precision = products::Precision::fp32) {
    settings_.kernels = kernels, settings_.precision = precision;
    const Network network(settings_, dense_features_, features_);
    const Exec exec;
    const Vector<float> parameters = make_vector<float>(exec, "tesserec::test::parameters", network.parameters());
    network.initialize(exec, 5, parameters);
    const Index rows = Lanes(lanes).samples(own_lanes, n).size();
    const auto dense = numbers(rows * dense_features_, 0), pooled = numbers(rows * network.pooled_width(), 2);
    std::vector<float> labels(rows), weights(rows);
    for (Index r = 0; r < rows; ++r) labels[r] = float(r % 3 == 0), weights[r] = 0.5f * float(r % 4);
    std::vector<jagged::JaggedVectors> unpooled, slopes;
    for (const EmbeddedFeature& feature : features_.unpooled) {
      unpooled.push_back(sequence(rows, feature.dim));
      slopes.push_back(sequence(rows, feature.dim));
    }
    Trained result;
    result.pooled_gradient.assign(pooled.size(), 7.0f);
    result.probabilities.assign(rows, 7.0f), result.predicted.assign(rows, 7.0f);
    LaneSums sums(Exec(), network.parameters());
    DenseInput input{Lanes(lanes),
                     own_lanes,
                     n,
                     dense.data(),
                     pooled.data(),
                     labels.data(),
                     weights.data(),
                     9,
                     4,
                     result.probabilities.data(),
                     unpooled};
    const int times = n == 300 ? 6 : 2;  // the last ones run as graphs
    for (int again = 0; again < times; ++again)
      result.losses =
          network.forward_backward(exec, parameters, input, result.pooled_gradient.data(), sums, slopes).get();
    for (int i = 0; i < sums.count(); ++i) {
      const float* const sum = sums.sum(i).data();
      result.sums.emplace_back(sum, sum + network.parameters());
    }
    for (const jagged::JaggedVectors& slope : slopes)
      result.unpooled_gradients.emplace_back(slope.values.data(), slope.values.data() + slope.values.size());
    std::vector<float> towers(2 * rows * network.tower_width());
    for (int twice = 0; twice < 2; ++twice)
      result.predicted_losses =
          network.predict(exec, parameters, input, result.predicted.data(), towers.empty() ? nullptr : towers.data());
    result.predicted.insert(result.predicted.end(), towers.begin(), towers.end());
    return result;
  }

  void compare(int lanes, Range own_lanes, Index n) {
    CAPTURE(settings_.type, settings_.loss, lanes, own_lanes.begin, own_lanes.end, n);
    CHECK(same(train(Kernels::simd, lanes, own_lanes, n), train(Kernels::portable, lanes, own_lanes, n)));
  }

 private:
  static std::vector<float> numbers(Index n, Index column) {
    const Random random(31, Purpose::test);
    std::vector<float> made;
    for (Index i = 0; i < n; ++i) made.push_back(random.normal(i, column));
    return made;
  }
  /// Returns sequences of 0 to 6 vectors a sample; the first 200 samples have none.
  static jagged::JaggedVectors sequence(Index rows, Index dim) {
    const Random random(32, Purpose::test, dim), lengths(32, Purpose::test);
    const auto offsets = make_vector<Index>(Exec(), "tesserec::test::offsets", rows + 1);
    offsets(0) = 0;
    for (Index r = 0; r < rows; ++r) offsets(r + 1) = offsets(r) + (r < 200 ? 0 : Index(lengths.below(7, r, 0)));
    const auto values = make_matrix<float>(Exec(), "tesserec::test::vectors", offsets(rows), dim);
    for (std::size_t i = 0; i < values.size(); ++i) values.data()[i] = random.normal(Index(i), 1);
    return {values, {}, offsets};
  }

  network::Settings settings_;
  Index dense_features_;
  EmbeddedFeatures features_;
};

struct Named {
  network::Settings settings;
  EmbeddedFeatures features;
};

/// Returns all models with odd widths.
std::vector<Named> named() {
  std::vector<Named> all;
  const EmbeddedFeatures pooled{{{"a", 6}, {"b", 6}, {"c", 6}}};
  const auto add = [&](const std::string& type, auto change) {
    Named model{{}, pooled};
    model.settings.type = type;
    model.settings.embedding_dim = 6;
    model.settings.bottom = {19, 6}, model.settings.top = {33, 7, 1}, model.settings.deep = {21, 5};
    model.settings.branch1 = {11, 12}, model.settings.branch2 = {9, 12}, model.settings.towers = {10, 5};
    model.settings.cross.layers = 2, model.settings.cross.rank = 5, model.settings.cross.experts = 2;
    change(model);
    all.push_back(model);
  };
  add("dlrm", [](Named&) {});
  add("dlrm", [](Named& n) {
    n.settings.interaction = network::Interaction::cat, n.settings.loss = "wbce",
    n.settings.loss_settings.weights = {0.3, 0.7};
  });
  add("dlrm",
      [](Named& n) { n.settings.itself = true, n.settings.loss = "mse", n.settings.loss_settings.threshold = 0.01; });
  add("dlrm_projection", [](Named&) {});
  for (const network::Cross cross :
       {network::Cross::low_rank, network::Cross::full, network::Cross::vector, network::Cross::mixture})
    add("dlrm_dcn", [&](Named& n) { n.settings.cross.type = cross; });
  add("deepfm", [](Named& n) { n.settings.activation = Activation::tanh; });
  add("wide_deep", [](Named&) {});
  add("two_tower", [](Named& n) { n.settings.item = {"pooled.b"}; });
  add("two_tower", [](Named& n) { n.settings.item = {"pooled.b"}, n.settings.loss = "in_batch_softmax"; });
  for (const bool softmax : {false, true})
    add("din", [&](Named& n) {
      n.settings.item = {"pooled.b"}, n.settings.history = {"unpooled.h"};
      n.settings.attention = {8}, n.settings.attention_softmax = softmax;
      n.features.unpooled = {{"h", 6}};
    });
  return all;
}

/// Returns layers that read each other more than once, features that are read separately, and a dropout.
std::vector<LayerSettings> tangled() {
  return {{.name = "hidden", .type = "mlp", .inputs = {"dense"}, .widths = {7}},
          {.name = "one", .type = "mlp", .inputs = {"pooled.a"}, .widths = {7}},
          {.name = "both", .type = "multiply", .inputs = {"hidden", "one"}},
          {.name = "dropped", .type = "dropout", .inputs = {"both"}, .rate = 0.4},
          {.name = "normal", .type = "layer_norm", .inputs = {"dropped"}},
          {.name = "all", .type = "cat", .inputs = {"normal", "hidden", "pooled.b", "hidden", "pooled"}},
          {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}};
}

class HostOnlyLayer final : public layers::Layer {
 public:
  Index width() const override { return 1; }
  std::string describe() const override { return ""; }
  layers::Flops flops() const override { return {}; }
  bool is_host_only() const override { return true; }
  void forward(const Where&, const Batch&, Rows<float>) const override {}
  void backward(const Where&, const Batch&, Rows<const float>, Rows<const float>, std::span<const Rows<float>>,
                LaneGradients) const override {}
};
class MyLoss final : public losses::LossFunction {
 public:
  std::string refuses(Index) const override { return ""; }
  bool is_host_only() const override { return true; }
  void evaluate(const Where&, const Batch&, double*, Rows<float>) const override {}
  void predict(const Where&, Index, Rows<const float>, float*) const override {}
};

}  // namespace

TEST_CASE("portable: every model has the bits of the SIMD chunks at any batch and lanes") {
  Index turn = 0;
  for (const Named& model : named()) {
    Batch batch(model.settings, 5, model.features);
    for (const Index n : {1, 17, 128, 300, 2048})
      for (const int lanes : {1, 2, 8})
        if (!left_out(turn++, n > 300 ? 45 : 4)) batch.compare(lanes, {0, lanes}, n);
  }
}

TEST_CASE("portable: ranks with some of the lanes have the bits of SIMD chunks") {
  for (const Named& model : {named()[0], named().back()}) {
    Batch batch(model.settings, 5, model.features);
    for (const Range own_lanes : {Range{0, 3}, Range{3, 8}, Range{5, 6}})
      for (const Index n : {3, 300, 2048}) batch.compare(8, own_lanes, n);
  }
}

TEST_CASE("portable: values with several readers and a dropout have the bits of SIMD chunks") {
  Batch batch(model_of(tangled()), 5, {{{"a", 6}, {"b", 6}, {"c", 6}}});
  for (const Range own_lanes : {Range{0, 4}, Range{1, 4}, Range{2, 3}}) batch.compare(4, own_lanes, 700);
}

TEST_CASE("cublaslt: every model is near our own kernels in every precision") {
  if (!has_cublaslt) return;
  Index turn = 0;
  for (const Named& model : named()) {
    if (left_out(turn++, 3)) continue;
    Batch batch(model.settings, 5, model.features);
    const auto far = [&](products::Precision precision, Kernels other, products::Precision its) {
      return difference(batch.train(Kernels::cublaslt, 4, {0, 4}, 90, precision),
                        batch.train(other, 4, {0, 4}, 90, its));
    };
    using enum products::Precision;
    CAPTURE(model.settings.type, model.settings.loss);
    CHECK(far(fp32, Kernels::portable, fp32) < 1e-5);
    CHECK(far(tf32, Kernels::portable, fp32) < 1e-2);
    CHECK(far(bf16, Kernels::simd, bf16) < 1e-2);
  }
}

TEST_CASE("portable: gradients are slopes") {
  if (left_out(1, 4)) return;
  Run run({{.name = "all", .type = "cat", .inputs = {"pooled", "dense"}},
           {.name = "cross", .type = "cross", .inputs = {"all"}, .layers = 2, .rank = 2},
           {.name = "two", .type = "mlp", .inputs = {"cross"}, .widths = {3, 2}, .activations = {Activation::gelu}},
           {.name = "logit", .type = "mlp", .inputs = {"two"}, .widths = {1}}},
          "bce", {}, Kernels::portable);
  check_slopes(run);
  Run history({{.name = "seen", .type = "attention", .inputs = {"pooled.item", "unpooled.history"}, .widths = {3}},
               {.name = "all", .type = "cat", .inputs = {"dense", "pooled", "seen"}},
               {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}},
              "bce", {}, Kernels::portable);
  check_slopes(history);
}

TEST_CASE("portable: throws with the name of a layer or loss or precision without portable kernels") {
  layers::add_layer_type(
      {"mine", "of one's own.", {}, [](const auto&, const auto&) { return std::make_unique<HostOnlyLayer>(); }});
  losses::add_loss_type({"my_loss", "of one's own.", {}, [](const auto&) { return std::make_unique<MyLoss>(); }});
  network::Settings settings = model_of({{.name = "last", .type = "mine", .inputs = {"pooled"}}});
  const auto refused = [&] { return error_of([&] { Network(settings, 4, std::vector<Index>{4}); }); };
  CHECK(refused().empty());
  settings.kernels = Kernels::portable;
  CHECK(mentions(refused(),
                 "model.layer.last: layers of type mine have no portable kernels; set run.kernels = \"simd\""));
  settings.layers = {{.name = "last", .type = "mlp", .inputs = {"pooled"}, .widths = {1}}};
  CHECK(refused().empty());
  settings.precision = products::Precision::bf16;
  CHECK(mentions(refused(), "model.precision = \"bf16\", but portable kernels multiply fp32 numbers"));
  if (device_is_host) {
    settings.precision = products::Precision::tf32;
    for (const Kernels kernels : {Kernels::simd, Kernels::automatic, Kernels::portable}) {
      settings.kernels = kernels;
      CHECK(mentions(refused(), concat("model.precision = \"tf32\", but ", name(chosen(kernels)),
                                       " kernels do not multiply in tf32; set fp32")));
    }
    settings.kernels = Kernels::cublaslt;
    CHECK(mentions(refused(), "run.kernels = \"cublaslt\", but this build has no cuBLASLt"));
    settings.kernels = Kernels::portable;
  }
  settings.precision = products::Precision::fp32, settings.loss = "my_loss";
  CHECK(mentions(refused(), "model.loss my_loss has no portable kernels"));
}
