// SPDX-License-Identifier: Apache-2.0
// Cross network of DCN v2 (Wang et al., arXiv 2008.13535):
//   x_{l+1} = x_0 * (W_l (V_l x_l) + b_l) + x_l     with `rank`, W [n, rank], V [rank, n]
//   x_{l+1} = x_0 * (W_l x_l + b_l) + x_l           without `rank`, W [n, n]
#include "makers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/layers/mlp.hpp>

namespace tesserec::layers {
namespace {

class CrossLayer final : public Layer {
 public:
  CrossLayer(Index width, Index layers, Index rank, products::Precision precision) : width_(width), rank_(rank) {
    for (Index l = 0; l < layers; ++l) {
      const std::string name = std::to_string(l);
      std::vector<LinearLayer> products;
      Index in = width;
      if (rank > 0) {
        const Index v = add_parameter(name + ".v", rank, width, Start::weight);
        products.push_back({width, rank, v, LinearLayer::without, Activation::none});
        in = rank;
      }
      const Index w = add_parameter(name + ".w", width, in, Start::weight);
      products.push_back({in, width, w, add_parameter(name + ".bias", width, 1, Start::zero), Activation::none});
      products_.emplace_back(std::move(products), precision, l > 0 ? products_.back().packed_end() : 0);
    }
  }

  Index width() const override { return width_; }
  std::string describe() const override {
    return concat(products_.size(), " of ", width_, rank_ > 0 ? ", rank " + std::to_string(rank_) : "");
  }
  Flops flops() const override { return products_.front().flops(double(products_.size())); }

  Index packed_size() const override { return products_.back().packed_end(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range range) const override {
    for (const Mlp& mlp : products_) mlp.pack(exec, parameters, backward, packed, range);
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto made = std::make_unique<Matrices>();
    for (const Mlp& mlp : products_) made->chains.push_back(mlp.make_matrices());
    for (products::Matrix* matrix : {&made->out, &made->g, &made->dx0}) {
      matrix->width = width_;
      matrix->of_bf16_chain = made->chains[0].x.of_bf16_chain;
    }
    return made;
  }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    Matrices& own = this->own<Matrices>(batch);
    products::Products& products = *batch.products;
    products.load(where, batch.rows, batch.inputs[0], true, own.chains[0].x);
    products.place(where, batch.rows, out, own.out);
    for (std::size_t l = 0; l < products_.size(); ++l) {
      products::Matrix &u = own.chains[l].y.back(), &next = own.x(l + 1);
      products.reserve(where, batch.rows, u);
      products_[l].forward(where, batch, own.chains[l]);
      if (l + 1 < products_.size()) products.reserve(where, batch.rows, next);
      const float *const x0 = own.x(0).numbers, *const of_x0 = u.numbers, *const x = own.x(l).numbers;
      float* const to = next.numbers;
      over_numbers(
          where, "tesserec::layers::cross", products.numbers(next, batch.rows),
          KOKKOS_LAMBDA(Index i) { to[i] = x0[i] * of_x0[i] + x[i]; });
      if (l + 1 < products_.size()) products.written(where, batch.rows, next);
    }
    products.store(where, batch.rows, own.out, out);
  }

  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    Matrices& own = this->own<Matrices>(batch);
    products::Products& products = *batch.products;
    const Rows<float> to = input_gradients[0];
    products.load_gradient(where, batch.rows, upstream, true, own.g);
    products.reserve(where, batch.rows, own.dx0);
    const Index n = products.numbers(own.g, batch.rows);
    float *const g = own.g.numbers, *const dx0 = own.dx0.numbers;
    const float *const x0 = own.x(0).numbers, *dx = nullptr;  // gradient of x_{l+1} through the products of layer l + 1
    for (std::size_t l = products_.size(); l-- > 0;) {
      Mlp::Matrices& chain = own.chains[l];
      products.reserve(where, batch.rows, chain.dy.back());
      const float *const u = chain.y.back().numbers, *const behind = dx;
      float* const du = chain.dy.back().numbers;
      over_numbers(
          where, "tesserec::layers::cross_back", n, KOKKOS_LAMBDA(Index i) {
            const bool last = behind == nullptr;
            const float slope = last ? g[i] : g[i] + behind[i];
            g[i] = slope;
            du[i] = slope * x0[i];
            dx0[i] = last ? slope * u[i] : dx0[i] + slope * u[i];
          });
      products.gradient_written(where, batch.rows, nullptr, chain.dy.back());
      const bool needs_dx = l > 0 || to.data != nullptr;
      if (needs_dx) products.reserve(where, batch.rows, chain.dx);
      products_[l].backward(where, batch, needs_dx, gradient, chain);
      dx = chain.dx.numbers;
    }
    if (to.data == nullptr) return;
    const float* const behind = dx;
    over_numbers(
        where, "tesserec::layers::cross_input", n, KOKKOS_LAMBDA(Index i) { g[i] = g[i] + behind[i] + dx0[i]; });
    products.store(where, batch.rows, own.g, to);
  }

 private:
  /// Activations and gradients in the layout of the products, so that no copies are needed between them.
  struct Matrices : Workspace {
    std::vector<Mlp::Matrices> chains;  // [layer] x_l is the input of chain l
    products::Matrix out, g, dx0;       // the last x; gradients of a layer's output, and of x_0
    products::Matrix& x(std::size_t l) { return l < chains.size() ? chains[l].x : out; }
  };

  Index width_, rank_;
  std::vector<Mlp> products_;  // [layer]
};

}  // namespace

std::unique_ptr<Layer> make_cross(const LayerSettings& settings, const InputShapes& inputs) {
  const Index width = one_width("a cross", inputs);
  if (settings.layers < 1) fail("a cross has layers = ", settings.layers, "; give 1 or more");
  if (settings.rank < 0) fail("a cross has rank = ", settings.rank, "; give 0, the full rank, or more");
  return std::make_unique<CrossLayer>(width, settings.layers, settings.rank, settings.precision);
}

}  // namespace tesserec::layers
