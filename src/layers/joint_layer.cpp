// SPDX-License-Identifier: Apache-2.0
// Logit of several events together: sigmoid(y) = product of sigmoid(x_n) over the inputs, elementwise. With the logits
// of a click and of a conversion after a click it gives ESMM's logit of both (Ma et al., SIGIR 2018, arXiv 1804.07931).
//   y = -log(e^s - 1),  s = sum_n log(1 + e^-x_n);   dy/dx_n = sigmoid(-x_n) / sigmoid(-y)
#include <cmath>

#include "makers.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

/// Returns -log sigmoid(x).
TESSEREC_FUNCTION float surprise(float x) {
  const float below = x < 0.0f ? x : 0.0f, size = std::fabs(x);
  return elementary::log1p(elementary::exp(-size)) - below;
}

/// Returns the logit of a probability p from s = -log p >= 0. It is finite: s below the normal numbers counts as the
/// smallest of them.
TESSEREC_FUNCTION float logit_of_surprise(float s) {
  constexpr float smallest = 0x1p-126f, log_2 = 0.6931472f;
  const float in = s < smallest ? smallest : s;
  if (in < log_2) return -elementary::log(elementary::expm1(in));
  return -(in + elementary::log1p(-elementary::exp(-in)));
}

/// Returns sigmoid(-x) / sigmoid(-y) for y <= x, without overflow in between.
TESSEREC_FUNCTION float slope_of_joint(float x, float y) {
  if (y < 0.0f) return (1.0f + elementary::exp(y)) / (1.0f + elementary::exp(x));
  return elementary::exp(y - x) * (1.0f + elementary::exp(-y)) / (1.0f + elementary::exp(-x));
}

class JointLayer final : public Layer {
 public:
  JointLayer(Index width, Index inputs) : width_(width), inputs_(inputs) {}

  Index width() const override { return width_; }
  std::string describe() const override { return concat("of ", counted(inputs_, "logit"), ", ", width_, " wide"); }
  Flops flops() const override {
    const double numbers = double(width_) * double(inputs_);
    return {60 * numbers, 60 * numbers, 0};
  }
  bool multiplies_matrices() const override { return false; }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    for (std::size_t n = 0; n < batch.inputs.size(); ++n) {
      const Rows<const float> x = batch.inputs[n];
      const bool first = n == 0;
      over_elements(
          where, "tesserec::layers::joint_sum", batch.rows, width_, KOKKOS_LAMBDA(Index r, Index c) {
            const float before = first ? 0.0f : out[r][c];
            out[r][c] = before + surprise(x[r][c]);
          });
    }
    over_elements(
        where, "tesserec::layers::joint", batch.rows, width_,
        KOKKOS_LAMBDA(Index r, Index c) { out[r][c] = logit_of_surprise(out[r][c]); });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    for (std::size_t n = 0; n < batch.inputs.size(); ++n) {
      const Rows<const float> x = batch.inputs[n];
      const Rows<float> dx = input_gradients[n];
      if (dx.data == nullptr) continue;
      over_elements(
          where, "tesserec::layers::joint_back", batch.rows, width_,
          KOKKOS_LAMBDA(Index r, Index c) { dx[r][c] = upstream[r][c] * slope_of_joint(x[r][c], out[r][c]); });
    }
  }

 private:
  Index width_, inputs_;
};

}  // namespace

std::unique_ptr<Layer> make_joint(const LayerSettings&, const InputShapes& inputs) {
  const Index width = same_width("a joint", inputs, 0);
  return std::make_unique<JointLayer>(width, std::ssize(inputs));
}

}  // namespace tesserec::layers
