// SPDX-License-Identifier: Apache-2.0
// Gated linear unit (Dauphin et al., ICML 2017, arXiv 1612.08083): y = a * sigmoid(b), where a and b are the halves of
// a sample's values, or of each vector of a sequence.
#include "makers.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

class GatedLayer final : public Layer {
 public:
  GatedLayer(Index width, bool sequence, double length) : width_(width), sequence_(sequence), length_(length) {}

  Index width() const override { return width_; }
  std::string describe() const override { return concat(width_, " wide", sequence_ ? ", each vector" : ""); }
  Flops flops() const override { return {20.0 * double(width_) * length_, 24.0 * double(width_) * length_, 0}; }
  bool multiplies_matrices() const override { return false; }
  bool gives_sequence() const override { return sequence_; }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    const Rows<const float> x = batch.inputs[0];
    const Index n = width_;
    over_elements(
        where, "tesserec::layers::gated", rows(batch), n,
        KOKKOS_LAMBDA(Index r, Index c) { out[r][c] = x[r][c] * elementary::sigmoid(x[r][n + c]); });
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients) const override {
    const Rows<const float> x = batch.inputs[0];
    const Rows<float> dx = input_gradients[0];
    const Index n = width_;
    if (dx.data == nullptr) return;
    over_elements(
        where, "tesserec::layers::gated_back", rows(batch), n, KOKKOS_LAMBDA(Index r, Index c) {
          const float open = elementary::sigmoid(x[r][n + c]), dy = upstream[r][c];
          dx[r][c] = dy * open;
          dx[r][n + c] = dy * x[r][c] * open * (1.0f - open);
        });
  }

 private:
  static Index rows(const Batch& batch) {
    return batch.inputs[0].is_sequence() ? batch.inputs[0].lengths.vectors : batch.rows;
  }
  Index width_;
  bool sequence_;
  double length_;  // mean vectors per sample
};

}  // namespace

std::unique_ptr<Layer> make_gated(const LayerSettings&, const InputShapes& inputs) {
  const Index width = one_width("a gated", inputs);
  if (width % 2 != 0)
    fail("a gated halves its input, but ", inputs[0].name(), " has ", counted(width, "number"),
         "; give it an even number");
  return std::make_unique<GatedLayer>(width / 2, inputs[0].sequence, inputs[0].length);
}

}  // namespace tesserec::layers
