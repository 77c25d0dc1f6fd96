// SPDX-License-Identifier: Apache-2.0
// Network with and without graphs of its launches, over batches of equal and of other shapes.
#include <cstring>

#include "closed_memory.hpp"
#include "slopes.hpp"
#include <tesserec/layers.hpp>

using namespace tesserec;
using namespace tesserec::test;

namespace {

Index passes = 0;  // number of launches of a Counted layer's forward()

/// A layer that returns its input and counts its launches.
class Counted final : public layers::Layer {
 public:
  explicit Counted(Index width) : width_(width) {}
  Index width() const override { return width_; }
  std::string describe() const override { return ""; }
  layers::Flops flops() const override { return {}; }
  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    ++passes;
    copy_rows(where, batch.rows, batch.inputs[0], out);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    if (input_gradients[0].data != nullptr) copy_rows(where, batch.rows, upstream, input_gradients[0]);
  }

 private:
  Index width_;
};

struct Step {
  Index samples;
  Index numbers;     // seed of the batch's numbers
  int place;         // slot of the pooled vectors
  Index drawn;       // step for which layers draw
  bool predictions;  // whether the caller wants predictions
  bool predicts;     // a larger batch is predicted afterwards
};

/// Returns all results of the steps; one network computes them all.
std::vector<float> all_of(const network::Settings& settings, const EmbeddedFeatures& features,
                          const std::vector<Step>& steps) {
  constexpr Index rows = 450, dense_features = 3;
  const Exec exec;
  const Network network(settings, dense_features, features);
  const PlacedVector<float> parameters(exec, Place::device, "tesserec::test::parameters", network.parameters());
  network.initialize(exec, 5, parameters);
  const Index width = network.pooled_width();
  const auto floats = [&](Index n) { return PlacedVector<float>(exec, Place::device, "tesserec::test::floats", n); };
  const PlacedVector<float> pooled[2] = {floats(rows * width), floats(rows * width)},
                            gradient[2] = {floats(rows * width), floats(rows * width)};
  std::vector<PlacedVector<float>> vectors, vector_slopes;
  for (const EmbeddedFeature& feature : features.unpooled)
    for (auto* to : {&vectors, &vector_slopes}) to->push_back(floats(4 * rows * feature.dim));
  LaneSums sums(exec, network.parameters());
  std::vector<float> all;
  const auto keep = [&](const auto& numbers) { all.insert(all.end(), numbers.begin(), numbers.end()); };
  for (const Step& step : steps) {
    const auto made = [&](Index n, Index column) {
      const Random random(33, Purpose::test, step.numbers);
      std::vector<float> numbers(n);
      for (Index i = 0; i < n; ++i) numbers[i] = random.normal(i, column);
      return numbers;
    };
    const std::vector<float> dense = made(rows * dense_features, 0), of_pooled = made(rows * width, 2);
    std::vector<float> labels(rows), weights(rows), probabilities(rows, 7.0f);
    for (Index r = 0; r < rows; ++r) labels[r] = float((r + step.numbers) % 3 == 0), weights[r] = 0.5f * float(r % 4);
    const int to = step.numbers % 4 == 3 ? 1 - step.place : step.place;
    pooled[step.place].from_host(exec, of_pooled);
    gradient[to].from_host(exec, std::vector<float>(rows * width, 7.0f));
    std::vector<jagged::JaggedVectors> unpooled, slopes;
    std::vector<Index> offsets{0};
    for (Index r = 0; r < rows; ++r) offsets.push_back(offsets.back() + (r + step.numbers) % (2 + step.numbers));
    for (std::size_t q = 0; q < features.unpooled.size(); ++q) {
      const Index dim = features.unpooled[q].dim, count = offsets[step.samples];
      vectors[q].from_host(exec, made(4 * rows * dim, 3));
      const Vector<Index> of_samples(offsets.data(), step.samples + 1);
      unpooled.push_back({Matrix<float>(vectors[q].data(), count, dim), {}, of_samples});
      slopes.push_back({Matrix<float>(vector_slopes[q].data(), count, dim), {}, of_samples});
    }
    const DenseInput input{Lanes(4),
                           {0, 4},
                           step.samples,
                           dense.data(),
                           pooled[step.place].data(),
                           labels.data(),
                           weights.data(),
                           9,
                           step.drawn,
                           step.predictions ? probabilities.data() : nullptr,
                           unpooled,
                           Place::device};
    keep(network.forward_backward(exec, parameters, input, gradient[to].data(), sums, slopes).get());
    keep(gradient[to].to_host(exec));
    for (int i = 0; i < sums.count(); ++i) keep(std::span(sums.sum(i).data(), network.parameters()));
    for (std::size_t q = 0; q < slopes.size(); ++q) {
      const std::vector<float> found = vector_slopes[q].to_host(exec);
      keep(std::span(found.data(), slopes[q].values.size()));
    }
    keep(probabilities);
    if (!step.predicts) continue;
    const DenseInput larger{Lanes(4), {0, 4},  rows, dense.data(), pooled[step.place].data(), labels.data(), nullptr, 9,
                            0,        nullptr, {},   Place::device};
    keep(network.predict(exec, parameters, larger, probabilities.data()));
    keep(probabilities);
  }
  return all;
}

network::Settings settings_of(std::vector<LayerSettings> layers) {
  return model_of(std::move(layers), "bce", Kernels::portable);
}

void compare(network::Settings settings, const EmbeddedFeatures& features, const std::vector<Step>& steps,
             Index expected_passes) {
  for (const Kernels kernels : {Kernels::portable, Kernels::cublaslt}) {
    if (kernels == Kernels::cublaslt && !has_cublaslt) continue;
    CAPTURE(name(kernels));
    settings.kernels = kernels;
    settings.graphs = false;
    passes = 0;
    const std::vector<float> expected = all_of(settings, features, steps);
    CHECK(passes >= std::ssize(steps));
    settings.graphs = true;
    passes = 0;
    const std::vector<float> found = all_of(settings, features, steps);
    REQUIRE(found.size() == expected.size());
    CHECK(std::memcmp(found.data(), expected.data(), found.size() * sizeof(float)) == 0);
    CHECK(passes == expected_passes);
  }
}

const layers::LayerSettings counted_layer{.name = "counted", .type = "counted", .inputs = {"pooled.a"}};

void add_counted() {
  static const bool added = [] {
    layers::add_layer_type(
        {"counted", "for a test.", {}, [](const auto&, const std::vector<layers::InputShape>& inputs) {
           return std::make_unique<Counted>(inputs[0].width());
         }});
    return true;
  }();
  (void)added;
}

}  // namespace

TEST_CASE("graphs: repeated batches in either slot and a larger one between them keep their bits") {
  add_counted();
  const ClosedMemory closed;
  const network::Settings settings =
      settings_of({counted_layer,
                   {.name = "hidden", .type = "mlp", .inputs = {"dense"}, .widths = {6, 4}},
                   {.name = "dots", .type = "dot", .inputs = {"hidden", "counted", "pooled.b"}},
                   {.name = "logit", .type = "mlp", .inputs = {"dots"}, .widths = {5, 1}}});
  const EmbeddedFeatures features{{{"a", 4}, {"b", 4}}};
  std::vector<Step> steps;
  for (Index i = 0; i < 8; ++i) steps.push_back({100, i, int(i % 2), i, false, false});
  // Pooled vectors alternate between two slots, as the slots of the gradient do, and each fourth batch has its
  // gradient in the other slot. That makes three kinds of step. Each kind runs once to allocate and once to be
  // recorded, the first kind once more.
  compare(settings, features, steps, 7);
  const Random random(34, Purpose::test);
  for (Index i = 0; i < 60; ++i)
    steps.push_back({random.below(4, i, 0) == 0 ? 30 : 100, i, int(random.below(2, i, 1)), i,
                     random.below(3, i, 2) == 0, i % 20 == 7});
  // Launches are fewer than batches, and the results stay right.
  passes = 0;
  all_of(settings, features, steps);
  CHECK(passes < std::ssize(steps));
  compare(settings, features, steps, passes);
}

TEST_CASE("graphs: dropout draws other numbers in each step") {
  add_counted();
  std::vector<Step> steps;
  for (Index i = 0; i < 9; ++i) steps.push_back({300, 5, 0, i / 3, false, false});
  compare(settings_of({counted_layer,
                       {.name = "dropped", .type = "dropout", .inputs = {"counted"}, .rate = 0.4},
                       {.name = "logit", .type = "mlp", .inputs = {"dropped"}, .widths = {1}}}),
          {{{"a", 4}}}, steps, 9);
}

TEST_CASE("graphs: sequences of other lengths are other launches") {
  add_counted();
  std::vector<Step> steps;
  for (Index i = 0; i < 12; ++i) steps.push_back({300, i < 6 ? 1 : i % 3, 0, i, false, false});
  const network::Settings settings =
      settings_of({counted_layer,
                   {.name = "seen", .type = "attention", .inputs = {"counted", "unpooled.history"}, .widths = {3}},
                   {.name = "logit", .type = "mlp", .inputs = {"seen"}, .widths = {1}}});
  passes = 0;
  const EmbeddedFeatures features{{{"a", 4}}, {{"history", 4}}};
  all_of(settings, features, steps);
  compare(settings, features, steps, passes);
}
