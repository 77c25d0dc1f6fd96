// SPDX-License-Identifier: Apache-2.0
// The second worked example of docs/design/law.md: the gradient of one dense parameter by chunks and lanes.
#include <cmath>
#include <vector>

#include "catch.hpp"
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/network.hpp>

using namespace tesserec;

namespace {

constexpr Index batch_samples = 1024;
constexpr float two_24 = 16777216.0f;  // M: floats above it are even

/// A sample whose gradient is not 0.
struct SampleGradient {
  Index sample;
  float gradient;
};
constexpr SampleGradient worked_gradients[] = {{0, two_24}, {1, 1},   {128, 1},      {129, 1},
                                               {256, 4},    {512, 1}, {768, -two_24}};

/// A model of one logit w * x + b with x = 1 and w = b = 0. Its probability is 1/2, so w and b both have the gradient
/// (1/2 - label) * weight / batch_samples. Label and weight are chosen for that.
class WorkedLane {
 public:
  WorkedLane() : network_(settings(), 1, std::vector<Index>{}) {
    parameters_ = make_vector<float>(Exec(), "tesserec::test::parameters", network_.parameters());
    Kokkos::deep_copy(parameters_, 0.0f);
    for (const auto& [sample, gradient] : worked_gradients) {
      labels_[sample] = gradient < 0 ? 1.0f : 0.0f;
      weights_[sample] = 2 * batch_samples * std::abs(gradient);
    }
  }

  /// Runs the samples of `run`, a run of `lanes` lanes, forward and backward. Returns the remaining sums of the
  /// lanes.
  LaneSums sums(int lanes, Range run) const {
    const Index first = Lanes(lanes).samples(run, batch_samples).begin;
    LaneSums sums(Exec(), network_.parameters());
    network::DenseInput input;
    input.lanes = Lanes(lanes);
    input.my_lanes = run;
    input.global_size = batch_samples;
    input.dense = ones_.data() + first;
    input.labels = labels_.data() + first;
    input.weights = weights_.data() + first;
    network_.forward_backward(Exec(), parameters_, input, nullptr, sums);
    return sums;
  }
  /// Returns the gradient of b in a single sum, and checks that w has the same.
  float gradient(const LaneSums& sums) const {
    REQUIRE(sums.count() == 1);
    REQUIRE(network_.layout().size() == 2);
    const float* const all = sums.sum(0).data();
    const float weight = all[network_.layout()[0].offset], bias = all[network_.layout()[1].offset];
    CHECK(weight == bias);
    return bias;
  }
  float gradient(int lanes, Range run) const { return gradient(sums(lanes, run)); }

 private:
  static network::Settings settings() {
    network::Settings settings;
    settings.type = "network";
    settings.layers = {{.name = "logit", .type = "mlp", .inputs = {"dense"}, .widths = {1}}};
    settings.kernels = Kernels::simd;
    return settings;
  }

  network::Network network_;
  Vector<float> parameters_;
  std::vector<float> ones_ = std::vector<float>(batch_samples, 1.0f);
  std::vector<float> labels_ = std::vector<float>(batch_samples), weights_ = std::vector<float>(batch_samples);
};

}  // namespace

TEST_CASE("Network: worked example of a lane adds samples to chunks and chunks to lanes") {
  const WorkedLane example;
  CHECK(chunk_samples == 128);
  CHECK(Lanes::automatic(batch_samples) == 8);
  const float chunks[] = {two_24, 2, 4, 0, 1, 0, -two_24, 0};  // with eight lanes, a lane is one chunk
  for (Index chunk = 0; chunk < 8; ++chunk) CHECK(example.gradient(8, {chunk, chunk + 1}) == chunks[chunk]);
  CHECK(example.gradient(4, {0, 1}) == 16777218.0f);
  CHECK(example.gradient(4, {1, 2}) == 4.0f);
  CHECK(example.gradient(4, {2, 3}) == 1.0f);
  CHECK(example.gradient(4, {3, 4}) == -two_24);
}

TEST_CASE("Network: worked example of a lane adds four lanes to 7 and other orders give 8 or 4") {
  const WorkedLane example;
  CHECK(example.gradient(4, {0, 4}) == 7.0f);

  float sum = 0.0f;
  std::vector<float> sums;
  for (const float lane : {two_24 + 2, 4.0f, 1.0f, -two_24}) sums.push_back(sum += lane);
  CHECK(sums == std::vector<float>{two_24 + 2, two_24 + 6, two_24 + 8, 8});
  sum = 0.0f;
  sums.clear();
  double exact = 0.0;
  for (const auto& [sample, gradient] : worked_gradients) {
    sums.push_back(sum += gradient);
    exact += gradient;
  }
  CHECK(sums == std::vector<float>{two_24, two_24, two_24, two_24, two_24 + 4, two_24 + 4, 4});
  CHECK(exact == 8.0);
}

TEST_CASE("LaneSums: worked example of a lane makes 7 of the sums of two ranks") {
  const WorkedLane example;
  CHECK(Lanes(4).of_rank(0, 2) == Range{0, 2});
  CHECK(Lanes(4).samples_of_rank(1, 2, batch_samples) == Range{512, 1024});
  LaneSums left = example.sums(4, {0, 2}), right = example.sums(4, {2, 4});
  CHECK(example.gradient(left) == 16777222.0f);
  CHECK(example.gradient(right) == -16777215.0f);
  LaneSums merged(Exec(), left.length());
  merged.start({0, 4});
  merged.absorb(left);
  merged.absorb(right);
  merged.finish();
  CHECK(example.gradient(merged) == 7.0f);
}
