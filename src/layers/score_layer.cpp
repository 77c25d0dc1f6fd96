// SPDX-License-Identifier: Apache-2.0
// Inner product of two vectors, the score of a two-tower model.
#include "layer_formulas.hpp"
#include "makers.hpp"

namespace tesserec::layers {
namespace {

class ScoreLayer final : public Layer {
 public:
  explicit ScoreLayer(Index dim) : dim_(dim) {}

  Index width() const override { return 1; }
  std::string describe() const override { return "of vectors of " + std::to_string(dim_); }
  Flops flops() const override { return {2.0 * double(dim_), 2.0 * double(dim_), 0}; }
  bool multiplies_matrices() const override { return false; }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    const Rows<const float> a = batch.inputs[0], b = batch.inputs[1];
    over_rows(
        where, "tesserec::layers::score", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          const float score = inner_product(threads, a.width, a[r], b[r]);
          if (threads.first()) *out[r] = score;
        });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    for (std::size_t n = 0; n < 2; ++n) {
      const Rows<const float> other = batch.inputs[1 - n];
      const Rows<float> to = input_gradients[n];
      if (to.data == nullptr) continue;
      over_rows(
          where, "tesserec::layers::score_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float* const from = other[r];
            float *const row = to[r], slope = *upstream[r];
            threads.each(to.width, [=](Index i) { row[i] = slope * from[i]; });
          });
    }
  }

 private:
  Index dim_;
};

}  // namespace

std::unique_ptr<Layer> make_score(const LayerSettings&, const InputShapes& inputs) {
  return std::make_unique<ScoreLayer>(same_width("a score", inputs, 2));
}

}  // namespace tesserec::layers
