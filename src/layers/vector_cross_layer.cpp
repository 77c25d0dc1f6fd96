// SPDX-License-Identifier: Apache-2.0
// Cross network of the first DCN (Wang et al., arXiv 1708.05123): x_{l+1} = x_0 * s_l + b_l + x_l,  s_l = w_l . x_l
#include "layer_formulas.hpp"
#include "makers.hpp"
#include <tesserec/core/chunk_sums.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

class VectorCrossLayer final : public Layer {
 public:
  VectorCrossLayer(Index width, Index layers) : width_(width) {
    for (Index l = 0; l < layers; ++l) {
      const std::string name = std::to_string(l);
      const Index w = add_parameter(name + ".w", width, 1, Start::weight);
      layers_.push_back({w, add_parameter(name + ".bias", width, 1, Start::zero)});
    }
  }

  Index width() const override { return width_; }
  std::string describe() const override { return concat(layers_.size(), " of ", width_); }
  Flops flops() const override {
    const double n = 4.0 * double(width_) * double(layers_.size());
    return {n, n, n};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Activations>(layers_.size()); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    Activations& own = this->own<Activations>(batch);
    const Rows<const float> x0 = batch.inputs[0];
    const Index width = width_;
    Rows<const float> x = x0;
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      const bool last = l + 1 == layers_.size();
      const Rows<float> next = last ? out : rows(own.x[l].reserve(where, label, batch.rows * width));
      float* const s = own.s[l].reserve(where, label, batch.rows);
      const float *const w = batch.parameters + layers_[l].w, *const bias = batch.parameters + layers_[l].bias;
      over_rows(
          where, "tesserec::layers::vector_cross", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float *const first = x0[r], *const from = x[r];
            float* const to = next[r];
            const float of_row = inner_product(threads, width, w, from);
            if (threads.first()) s[r] = of_row;
            threads.each(width, [=](Index i) { to[i] = first[i] * of_row + bias[i] + from[i]; });
          });
      x = next;
    }
  }

  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    Activations& own = this->own<Activations>(batch);
    const Rows<const float> x0 = batch.inputs[0];
    const Index width = width_;
    const Rows<float> g = rows(own.g.reserve(where, label, batch.rows * width)),
                      dx0 = rows(own.dx0.reserve(where, label, batch.rows * width));
    float* const ds = own.ds.reserve(where, label, batch.rows);
    copy_rows(where, batch.rows, upstream, g);
    clear_rows(where, batch.rows, dx0);
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const Rows<const float> x = l == 0 ? x0 : Rows<const float>(rows(own.x[l - 1].data()));
      const float *const w = batch.parameters + layers_[l].w, *const s = own.s[l].data();
      over_rows(
          where, "tesserec::layers::vector_cross_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
            const float *const from = g[r], of_row = s[r];
            float* const to = dx0[r];
            const float slope = inner_product(threads, width, from, x0[r]);
            if (threads.first()) ds[r] = slope;
            threads.each(width, [=](Index i) { to[i] = std::fma(of_row, from[i], to[i]); });
          });
      own.sums.begin(where, batch.chunks, 2 * width);
      own.sums.add(
          where, "tesserec::layers::vector_cross_weight", 0, width,
          KOKKOS_LAMBDA(Index r, Index c, float sum) { return std::fma(ds[r], x[r][c], sum); });
      own.sums.add(
          where, "tesserec::layers::vector_cross_bias", width, width, KOKKOS_LAMBDA(Index r, Index c, float sum) {
            const float slope = g[r][c];
            g[r][c] = std::fma(ds[r], w[c], slope);  // gradient of x_l, except through x_0
            return sum + slope;
          });
      own.sums.finish(where, 0, width, gradient.from(layers_[l].w), ChunkSums::Lane::from_zero);
      own.sums.finish(where, width, width, gradient.from(layers_[l].bias), ChunkSums::Lane::from_zero);
    }
    const Rows<float> to = input_gradients[0];
    if (to.data == nullptr) return;
    over_elements(
        where, "tesserec::layers::cross_input", batch.rows, width,
        KOKKOS_LAMBDA(Index r, Index c) { to[r][c] = g[r][c] + dx0[r][c]; });
  }

 private:
  static constexpr const char* label = "tesserec::layers::cross";
  struct Activations : Workspace {
    explicit Activations(std::size_t layers) : x(layers - 1), s(layers) {}
    std::vector<LoopBuffer<float>> x, s;  // [layer] x_{l+1} except the last; s_l
    LoopBuffer<float> g, dx0, ds;         // gradients of a layer's output, of x_0, of s
    ChunkSums sums;
  };
  Rows<float> rows(float* data) const { return {data, width_, width_}; }

  /// Offsets of a layer's tensors in its parameters, floats.
  struct Tensors {
    Index w, bias;
  };
  Index width_;
  std::vector<Tensors> layers_;
};

}  // namespace

std::unique_ptr<Layer> make_vector_cross(const LayerSettings& settings, const InputShapes& inputs) {
  const Index width = one_width("a vector_cross", inputs);
  if (settings.layers < 1) fail("a vector_cross has layers = ", settings.layers, "; give 1 or more");
  return std::make_unique<VectorCrossLayer>(width, settings.layers);
}

}  // namespace tesserec::layers
