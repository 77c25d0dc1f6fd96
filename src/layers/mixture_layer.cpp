// SPDX-License-Identifier: Apache-2.0
// Mixture of experts: y = sum_e p_e x_e, p = softmax(g). The gate g, one number for each expert, is the first input,
// and the experts' vectors x_e are the others. A gate for each label makes MMoE (Ma et al., KDD 2018), and gates over
// shared and own experts make PLE (Tang et al., RecSys 2020).
#include "layer_formulas.hpp"
#include "makers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

class Mixture final : public Layer {
 public:
  Mixture(Index width, Index experts) : width_(width), experts_(experts) {}

  Index width() const override { return width_; }
  std::string describe() const override { return concat("of ", counted(experts_, "expert"), ", ", width_, " wide"); }
  Flops flops() const override {
    const double products = double(width_) * double(experts_);
    return {2 * products, 3 * products, 0};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Shares>(); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    const Rows<const float> gate = batch.inputs[0];
    const Index experts = experts_;
    float* const shares = own<Shares>(batch).p.reserve(where, "tesserec::layers::shares", batch.rows * experts);
    over_numbers(
        where, "tesserec::layers::shares", batch.rows, KOKKOS_LAMBDA(Index r) {
          float* const p = shares + r * experts;
          for (Index e = 0; e < experts; ++e) p[e] = gate[r][e];
          softmax(experts, 1.0f, p);
        });
    for (Index e = 0; e < experts; ++e) {
      const Rows<const float> x = batch.inputs[std::size_t(e + 1)];
      over_elements(
          where, "tesserec::layers::mixture", batch.rows, width_, KOKKOS_LAMBDA(Index r, Index c) {
            const float before = e == 0 ? 0.0f : out[r][c];
            out[r][c] = before + shares[r * experts + e] * x[r][c];
          });
    }
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    Shares& own = this->own<Shares>(batch);
    const Index experts = experts_, width = width_;
    const float* const shares = own.p.data();
    float* const slopes = own.dp.reserve(where, "tesserec::layers::shares", batch.rows * experts);
    for (Index e = 0; e < experts; ++e) {
      const Rows<const float> x = batch.inputs[std::size_t(e + 1)];
      const Rows<float> dx = input_gradients[std::size_t(e + 1)];
      over_rows(
          where, "tesserec::layers::mixture_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float *const dy = upstream[r], p = shares[r * experts + e];
            float* const to = dx[r];
            if (dx.data != nullptr) threads.each(width, [=](Index i) { to[i] = p * dy[i]; });
            const float slope = inner_product(threads, width, dy, x[r]);
            if (threads.first()) slopes[r * experts + e] = slope;
          });
    }
    const Rows<float> dg = input_gradients[0];
    if (dg.data == nullptr) return;
    over_numbers(
        where, "tesserec::layers::shares_back", batch.rows, KOKKOS_LAMBDA(Index r) {
          softmax_back(experts, shares + r * experts, slopes + r * experts);
          for (Index e = 0; e < experts; ++e) dg[r][e] = slopes[r * experts + e];
        });
  }

 private:
  struct Shares : Workspace {
    LoopBuffer<float> p, dp;  // [rows, experts] and their gradients
  };

  Index width_, experts_;
};

}  // namespace

std::unique_ptr<Layer> make_mixture(const LayerSettings&, const InputShapes& inputs) {
  if (inputs.size() < 2) fail("a mixture takes a gate and its experts, at least two inputs, but has ", inputs.size());
  const InputShapes experts(inputs.begin() + 1, inputs.end());
  if (inputs[0].width() != std::ssize(experts))
    fail("a mixture's gate, its first input, must give one number for each expert, but ", inputs[0].name(), " has ",
         counted(inputs[0].width(), "number"), " for ", counted(std::ssize(experts), "expert"));
  return std::make_unique<Mixture>(same_width("a mixture's experts", experts, 0), std::ssize(experts));
}

}  // namespace tesserec::layers
