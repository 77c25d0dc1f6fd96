// SPDX-License-Identifier: Apache-2.0
// Sequences between layers: a layer returns one, several layers read one, and their gradients add up.
#include "errors.hpp"
#include "slopes.hpp"

using namespace tesserec;
using namespace tesserec::test;

namespace {

/// A layer that squares each vector of a sequence.
class SquareOfEach final : public layers::Layer {
 public:
  explicit SquareOfEach(Index width) : width_(width) {}
  Index width() const override { return width_; }
  std::string describe() const override { return ""; }
  layers::Flops flops() const override { return {}; }
  bool gives_sequence() const override { return true; }
  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    const Rows<const float> x = batch.inputs[0];
    over_elements(
        where, "tesserec::test::square", batch.inputs[0].lengths.vectors, x.width,
        KOKKOS_LAMBDA(Index j, Index c) { out[j][c] = x[j][c] * x[j][c]; });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    const Rows<const float> x = batch.inputs[0];
    const Rows<float> dx = input_gradients[0];
    over_elements(
        where, "tesserec::test::square_back", batch.inputs[0].lengths.vectors, x.width,
        KOKKOS_LAMBDA(Index j, Index c) { dx[j][c] = 2 * x[j][c] * upstream[j][c]; });
  }

 private:
  Index width_;
};

/// A layer that returns the mean of a sequence's vectors; 0 if there are none.
class Mean final : public layers::Layer {
 public:
  explicit Mean(Index width) : width_(width) {}
  Index width() const override { return width_; }
  std::string describe() const override { return ""; }
  layers::Flops flops() const override { return {}; }
  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    const layers::LayerInput x = batch.inputs[0];
    over_elements(
        where, "tesserec::test::mean", batch.rows, x.width, KOKKOS_LAMBDA(Index r, Index c) {
          const Range own = x.lengths.of(r);
          float sum = 0.0f;
          for (Index j = own.begin; j < own.end; ++j) sum += x[j][c];
          out[r][c] = own.size() > 0 ? sum / float(own.size()) : 0.0f;
        });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    const layers::LayerInput x = batch.inputs[0];
    const Rows<float> dx = input_gradients[0];
    over_elements(
        where, "tesserec::test::mean_back", batch.rows, x.width, KOKKOS_LAMBDA(Index r, Index c) {
          const Range own = x.lengths.of(r);
          for (Index j = own.begin; j < own.end; ++j) dx[j][c] = upstream[r][c] / float(own.size());
        });
  }

 private:
  Index width_;
};

void add_types() {
  static const bool added = [] {
    layers::add_layer_type({"square_of_each",
                            "for a test.",
                            {},
                            [](const auto&, const std::vector<layers::InputShape>& inputs) {
                              return std::make_unique<SquareOfEach>(inputs[0].width());
                            },
                            true});
    layers::add_layer_type({"mean",
                            "for a test.",
                            {},
                            [](const auto&, const std::vector<layers::InputShape>& inputs) {
                              return std::make_unique<Mean>(inputs[0].width());
                            },
                            true});
    return true;
  }();
  (void)added;
}

/// Returns layers in which one sequence has three readers and the sequence that a layer makes of it has two.
std::vector<LayerSettings> tangled() {
  return {{.name = "seen", .type = "attention", .inputs = {"pooled.item", "unpooled.history"}, .widths = {3}},
          {.name = "squares", .type = "square_of_each", .inputs = {"unpooled.history"}},
          {.name = "fourth", .type = "square_of_each", .inputs = {"squares"}},
          {.name = "sums", .type = "weighted_sum", .inputs = {"squares"}, .positions = 3},
          {.name = "weighed", .type = "weighted_sum", .inputs = {"unpooled.history@weights", "fourth"}},
          {.name = "mean", .type = "mean", .inputs = {"unpooled.history"}},
          {.name = "all", .type = "cat", .inputs = {"dense", "pooled", "seen", "sums", "weighed", "mean"}},
          {.name = "logit", .type = "mlp", .inputs = {"all"}, .widths = {1}}};
}

std::string refused(const std::vector<LayerSettings>& layers) {
  return error_of([&] { Network(model_of(layers), 4, features_of(layers)); });
}

}  // namespace

TEST_CASE("gives_sequence: layers return sequences and several layers read one") {
  add_types();
  Run run(tangled());
  check_slopes(run);
}

TEST_CASE("portable: sequences between layers have the bits of SIMD chunks") {
  add_types();
  Run chunks(tangled()), whole(tangled(), "bce", {}, Kernels::portable);
  REQUIRE(chunks.loss() == whole.loss());
  CHECK(chunks.pooled_gradient == whole.pooled_gradient);
  for (std::size_t q = 0; q < chunks.unpooled.size(); ++q) {
    const Matrix<float>&a = chunks.unpooled_gradient[q].values, &b = whole.unpooled_gradient[q].values;
    CHECK(std::equal(a.data(), a.data() + a.size(), b.data()));
  }
  const float *const a = chunks.gradients.sum(0).data(), *const b = whole.gradients.sum(0).data();
  CHECK(std::equal(a, a + chunks.network.parameters(), b));
}

TEST_CASE("gives_sequence: Network throws if a sequence has no reader or one that takes no sequence") {
  add_types();
  const LayerSettings squares{.name = "squares", .type = "square_of_each", .inputs = {"unpooled.history"}};
  CHECK(mentions(refused({squares, {.name = "all", .type = "cat", .inputs = {"dense", "squares"}}}),
                 "model.layer.all: squares is a sequence, one vector an id, which cat does not take"));
  CHECK(mentions(refused({{.name = "side", .type = "cat", .inputs = {"pooled"}},
                          {.name = "logit", .type = "mlp", .inputs = {"side"}, .widths = {1}},
                          squares}),
                 "model.layer.logit is read by no layer"));
  CHECK(mentions(error_of([&] {
                   Network(model_of({squares}), 4, EmbeddedFeatures{{}, {{"history", 1}}});
                 }),
                 "model.loss bce takes numbers of each sample, but the last layer, squares, gives a sequence"));
}
