// SPDX-License-Identifier: Apache-2.0
// The cross network of DCN v2 (Wang et al., arXiv 2008.13535):
//   x_{l+1} = x_0 * (W_l (V_l x_l) + b_l) + x_l     with `rank`, W [n, rank], V [rank, n]
//   x_{l+1} = x_0 * (W_l x_l + b_l) + x_l           without, W [n, n]
#include "layers.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

/// out = x0 * u + x; `out` may be x.
TESSEREC_KERNEL void cross(Index n, const float* x0, const float* u, const float* x, float* out) {
  for (Index i = 0; i < n; ++i) out[i] = x0[i] * u[i] + x[i];
}
/// du = g * x0, dx0 = g * u, with `add` on top of what is there.
TESSEREC_KERNEL void cross_back(Index n, const float* g, const float* x0, const float* u, bool add, float* du,
                                float* dx0) {
  for (Index i = 0; i < n; ++i) {
    du[i] = g[i] * x0[i];
    dx0[i] = add ? dx0[i] + g[i] * u[i] : g[i] * u[i];
  }
}
TESSEREC_KERNEL void sum(Index n, const float* a, const float* b, float* out) {
  for (Index i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

class CrossLayer final : public Layer {
 public:
  CrossLayer(Index width, Index layers, Index rank) : width_(width), rank_(rank) {
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
      products_.emplace_back(std::move(products));
    }
  }

  Index width() const override { return width_; }
  std::string describe() const override {
    return concat(products_.size(), " of ", width_, rank_ > 0 ? ", rank " + std::to_string(rank_) : "");
  }
  Flops flops() const override {
    double all = 0;
    for (const LinearLayer& layer : products_.front().layers()) all += 2.0 * double(layer.in * layer.out);
    const double first = 2.0 * double(width_ * products_.front().layers().front().out), n = products_.size();
    return {n * all, first, 2 * n * all - first};
  }

  Index packed_size() const override { return std::ssize(products_) * products_.front().packed_size(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part) const override {
    for (std::size_t l = 0; l < products_.size(); ++l)
      products_[l].pack(exec, parameters, backward, this->packed(packed, l), part);
  }

  std::unique_ptr<Workspace> make_workspace(const Exec& exec, Index rows) const override {
    auto made = std::make_unique<Activations>();
    const auto buffer = [&] { return make_vector<float>(exec, "tesserec::dense::cross", rows * width_); };
    for (const Mlp& mlp : products_) {
      made->panels.push_back(mlp.make_workspace(exec, rows));
      made->u.push_back(buffer());
    }
    for (Vector<float>* one : {&made->g, &made->du, &made->dx, &made->dx0}) *one = buffer();
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    Activations& own = activations(chunk);
    const Rows<const float> x0 = chunk.inputs[0];
    for (std::size_t l = 0; l < products_.size(); ++l) {
      const Rows<const float> x = l == 0 ? x0 : Rows<const float>(out);
      const Rows<float> u{own.u[l].data(), width_, width_};
      products_[l].forward(chunk.rows, packed(chunk.packed, l), x, u, own.panels[l]);
      for (Index r = 0; r < chunk.rows; ++r) cross(width_, x0[r], u[r], x[r], out[r]);
    }
  }

  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    Activations& own = activations(chunk);
    const Rows<const float> x0 = chunk.inputs[0];
    const auto view = [&](const Vector<float>& numbers) { return Rows<float>{numbers.data(), width_, width_}; };
    const Rows<float> g = view(own.g), du = view(own.du), dx = view(own.dx), dx0 = view(own.dx0);
    const bool wanted = input_gradients[0].data != nullptr;
    copy_rows(chunk.rows, upstream, g);
    for (std::size_t l = products_.size(); l-- > 0;) {
      const Rows<float> u = view(own.u[l]);
      for (Index r = 0; r < chunk.rows; ++r)
        cross_back(width_, g[r], x0[r], u[r], l + 1 < products_.size(), du[r], dx0[r]);
      const bool further = l > 0 || wanted;
      products_[l].backward(chunk.rows, packed(chunk.packed, l), add, gradient, du, further ? dx : Rows<float>{},
                            own.panels[l]);
      if (further) sum(chunk.rows * width_, g.data, dx.data, g.data);
    }
    if (wanted)
      for (Index r = 0; r < chunk.rows; ++r) sum(width_, g[r], dx0[r], input_gradients[0][r]);
  }

 private:
  struct Activations : Workspace {
    std::vector<MlpWorkspace> panels;
    std::vector<Vector<float>> u;  // what multiplies x_0, of each layer
    Vector<float> g, du, dx, dx0;  // gradients: of the layer's output, of u, by way of the products, of x_0
  };
  static Activations& activations(const Chunk& chunk) { return *static_cast<Activations*>(chunk.workspace); }
  template <class T>
  T* packed(T* all, std::size_t l) const {
    return all + Index(l) * products_.front().packed_size();
  }

  Index width_, rank_;
  std::vector<Mlp> products_;  // of each layer
};

}  // namespace

std::unique_ptr<Layer> make_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1) fail("a cross has one input, and not ", inputs.size(), "; put them side by side with a cat");
  if (settings.layers < 1) fail("a cross needs layers, 1 or more");
  if (settings.rank < 0) fail("a cross has rank ", settings.rank, "; 0 is full");
  return std::make_unique<CrossLayer>(inputs[0].width(), settings.layers, settings.rank);
}

}  // namespace tesserec::dense
