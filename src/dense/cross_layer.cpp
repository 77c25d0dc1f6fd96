// SPDX-License-Identifier: Apache-2.0
// The cross network of DCN v2 (Wang et al., arXiv 2008.13535):
//   x_{l+1} = x_0 * (W_l (V_l x_l) + b_l) + x_l     with `rank`, W [n, rank], V [rank, n]
//   x_{l+1} = x_0 * (W_l x_l + b_l) + x_l           without, W [n, n]
#include <algorithm>

#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include "panels.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

/// out = x0 * u + x
TESSEREC_KERNEL void cross(Index n, const float* x0, const float* u, const float* x, float* out) {
  for (Index i = 0; i < n; ++i) out[i] = crossed(x0[i], u[i], x[i]);
}
TESSEREC_KERNEL void sum(Index n, const float* a, const float* b, float* out) {
  for (Index i = 0; i < n; ++i) out[i] = a[i] + b[i];
}

/// Gradients of a layer, in panels.
struct Slopes {
  const float *x0, *u, *dx;  // dx: what reached the layer's output through the products of the next one
  float *g, *du, *dx0;
};
/// g += dx; du = g * x0; dx0 += g * u; sums = du's columns by row. The last layer comes first: no dx yet, dx0 begins.
template <Index width, bool last>
TESSEREC_KERNEL void cross_back(Index rows, Slopes s, float* sums) {
  float sum[width] = {};
  for (Index at = 0; at < rows * width; at += width)
    for (Index c = 0; c < width; ++c) {
      const Index i = at + c;
      const float g = last ? s.g[i] : s.g[i] + s.dx[i], du = g * s.x0[i];
      if (!last) s.g[i] = g;
      s.du[i] = du;
      s.dx0[i] = last ? g * s.u[i] : s.dx0[i] + g * s.u[i];
      sum[c] += du;
    }
  for (Index c = 0; c < width; ++c) sums[c] = sum[c];
}
void cross_back(Index rows, Index panels, bool last, Slopes s, float* sums) {
  with_width(kernels().width, [&](auto width) {
    for (Index p = 0; p < panels; ++p) {
      last ? cross_back<width, true>(rows, s, sums) : cross_back<width, false>(rows, s, sums);
      for (const float** from : {&s.x0, &s.u, &s.dx}) *from += rows * width;
      for (float** to : {&s.g, &s.du, &s.dx0}) *to += rows * width;
      sums += width;
    }
  });
}

class CrossLayer final : public Layer {
 public:
  CrossLayer(Index width, Index layers, Index rank, Precision precision) : width_(width), rank_(rank) {
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
      products_.emplace_back(std::move(products), precision);
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
    for (const Mlp& mlp : products_) made->products.push_back(mlp.make_workspace(exec, rows));
    for (Vector<float>* one : {&made->out, &made->g, &made->dx0}) {
      *one = make_vector<float>(exec, "tesserec::dense::cross",
                                products_.front().height(rows) * panels() * kernels().width);
      std::fill_n(one->data(), one->extent(0), 0.0f);
    }
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    Activations& own = activations(chunk);
    const Index width = kernels().width, height = products_.front().height(chunk.rows);
    to_panels(chunk.rows, height, width, chunk.inputs[0], own.x(0));
    for (std::size_t l = 0; l < products_.size(); ++l) {
      products_[l].round_input(chunk.rows, own.products[l]);
      for (std::size_t m = 0; m < products_[l].layers().size(); ++m)
        products_[l].forward(m, chunk.rows, packed(chunk.packed, l), own.products[l]);
      cross(height * panels() * width, own.x(0), own.u(l), own.x(l), own.x(l + 1));
    }
    from_panels(chunk.rows, height, width, own.out.data(), out);
  }

  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    Activations& own = activations(chunk);
    const Index width = kernels().width, height = products_.front().height(chunk.rows), n = height * panels() * width;
    const bool wanted = input_gradients[0].data != nullptr;
    to_panels(chunk.rows, height, width, upstream, own.g.data());
    const float* dx = nullptr;
    for (std::size_t l = products_.size(); l-- > 0;) {
      MlpWorkspace& product = own.products[l];
      cross_back(height, panels(), dx == nullptr,
                 {own.x(0), own.u(l), dx, own.g.data(), product.gradients.back().data(), own.dx0.data()},
                 product.bias_sums.data());
      products_[l].round_gradient(products_[l].layers().size() - 1, chunk.rows, product);
      for (std::size_t m = products_[l].layers().size(); m-- > 0;) {
        products_[l].weight_gradient(m, chunk.rows, add, gradient, product);
        if (m > 0 || l > 0 || wanted) products_[l].input_gradient(m, chunk.rows, packed(chunk.packed, l), product);
      }
      dx = product.input_gradient_panels.data();
    }
    if (!wanted) return;
    sum(n, own.g.data(), dx, own.g.data());
    sum(n, own.g.data(), own.dx0.data(), own.g.data());
    from_panels(chunk.rows, height, width, own.g.data(), input_gradients[0]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts& products) const override {
    return cross_on_device(products_, products);
  }

 private:
  /// All in panels: between the products nothing is laid out anew.
  struct Activations : Workspace {
    std::vector<MlpWorkspace> products;  // of each layer
    Vector<float> out, g, dx0;           // the last x; gradients of a layer's output, and of x_0
    float* x(std::size_t l) { return l < products.size() ? products[l].input.data() : out.data(); }
    /// Returns what multiplies x_0.
    const float* u(std::size_t l) const { return products[l].outputs.back().data(); }
  };
  static Activations& activations(const Chunk& chunk) { return *static_cast<Activations*>(chunk.workspace); }
  template <class T>
  T* packed(T* all, std::size_t l) const {
    return all + Index(l) * products_.front().packed_size();
  }

  Index panels() const { return panel_count(width_, kernels().width); }

  Index width_, rank_;
  std::vector<Mlp> products_;  // of each layer
};

}  // namespace

std::unique_ptr<Layer> make_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1) fail("a cross has one input, and not ", inputs.size(), "; put them side by side with a cat");
  if (settings.layers < 1) fail("a cross needs layers, 1 or more");
  if (settings.rank < 0) fail("a cross has rank ", settings.rank, "; 0 is full");
  return std::make_unique<CrossLayer>(inputs[0].width(), settings.layers, settings.rank, settings.precision);
}

}  // namespace tesserec::dense
