// SPDX-License-Identifier: Apache-2.0
// DCN v2's cross network of experts (Wang et al., arXiv 2008.13535, as TorchRec's LowRankMixtureCrossNet). Of layer l
// and expert e, with V [rank, n], C [rank, rank], U [n, rank] of their own:
//   u_e = U relu(C relu(V x_l)) + b_l;   x_{l+1} = x_0 * sum_e p_e u_e + x_l;   p = softmax(gate x_l)
// The gates [experts, n] are the same in all layers; one expert has none.
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "layers.hpp"
#include "vectors.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/dense/mlp.hpp>

namespace tesserec::dense {
namespace {

/// out = out + p x0 (u + bias).
TESSEREC_KERNEL void add_expert(Index n, float p, const float* x0, const float* u, const float* bias, float* out) {
  for (Index i = 0; i < n; ++i) add_expert_to(out[i], p, x0[i], u[i], bias[i]);
}
/// du = p g x0; dx0 and the bias's sums grow; the result is g . (x0 (u + bias)), dloss/dp.
TESSEREC_KERNEL float expert_back(Index n, const ExpertOutput& of, const float* g, const float* x0, float* du,
                                  float* dx0, float* bias_sums) {
  const float dp = expert_back_by(OneThread(), n, of, g, x0, du, dx0);
  for (Index i = 0; i < n; ++i) bias_sums[i] += du[i];
  return dp;
}

class MixtureCross final : public Layer {
 public:
  MixtureCross(Index width, Index layers, Index rank, Index experts, Precision precision)
      : width_(width), rank_(rank), experts_(experts) {
    for (Index l = 0; l < layers; ++l) {
      const std::string name = std::to_string(l);
      for (Index e = 0; e < experts; ++e) {
        const auto matrix = [&](const char* letter, Index rows, Index columns, Activation activation) {
          const Index at = add_parameter(concat(name, ".", letter, e), rows, columns, Start::weight);
          return LinearLayer{columns, rows, at, LinearLayer::without, activation};
        };
        const LinearLayer v = matrix("v", rank, width, Activation::relu), c = matrix("c", rank, rank, Activation::relu),
                          u = matrix("u", width, rank, Activation::none);
        products_.emplace_back(std::vector<LinearLayer>{v, c, u}, precision);
      }
      biases_.push_back(add_parameter(name + ".bias", width, 1, Start::zero));
    }
    if (experts > 1) gates_ = add_parameter("gates", experts, width, Start::weight);
  }

  Index width() const override { return width_; }
  std::string describe() const override {
    return concat(biases_.size(), " of ", width_, ", ", experts_, " experts of rank ", rank_);
  }
  Flops flops() const override {
    const double all = double(std::ssize(products_)) * 2.0 * double(rank_ * (2 * width_ + rank_));
    const double first = double(experts_) * 2.0 * double(rank_ * width_);
    return {all, first, 2 * all - first};
  }

  Index packed_size() const override { return std::ssize(products_) * products_.front().packed_size(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range part) const override {
    for (std::size_t m = 0; m < products_.size(); ++m)
      products_[m].pack(exec, parameters, backward, packed + m * products_[m].packed_size(), part);
  }

  std::unique_ptr<Workspace> make_workspace(const Exec& exec, Index rows) const override {
    auto made = std::make_unique<Activations>();
    const auto buffer = [&](Index size) { return make_vector<float>(exec, "tesserec::dense::cross", size); };
    for (const Mlp& mlp : products_) {
      made->panels.push_back(mlp.make_workspace(exec, rows));
      made->u.push_back(buffer(rows * width_));
    }
    for (std::size_t l = 0; l < biases_.size(); ++l) {
      made->x.push_back(buffer(rows * width_));
      made->p.push_back(buffer(rows * experts_));
    }
    for (Vector<float>* one : {&made->g, &made->du, &made->dx, &made->dx0}) *one = buffer(rows * width_);
    made->dp = buffer(rows * experts_);
    made->sums = buffer(size());
    return made;
  }

  void forward(const Chunk& chunk, Rows<float> out) const override {
    Activations& own = activations(chunk);
    const Rows<const float> x0 = chunk.inputs[0];
    for (std::size_t l = 0; l < biases_.size(); ++l) {
      const Rows<const float> x = input(chunk, l);
      const Rows<float> next = l + 1 < biases_.size() ? view(own.x[l]) : out;
      for (Index e = 0; e < experts_; ++e)
        product(l, e).forward(chunk.rows, packed(chunk, l, e), x, view(own.u[number(l, e)]), own.panels[number(l, e)]);
      for (Index r = 0; r < chunk.rows; ++r) {
        float* const p = own.p[l].data() + r * experts_;
        for (Index e = 0; e < experts_; ++e)
          p[e] = experts_ > 1 ? inner_product(width_, chunk.parameters + gates_ + e * width_, x[r]) : 0.0f;
        softmax(experts_, 1.0f, p);
        std::copy_n(x[r], width_, next[r]);
        for (Index e = 0; e < experts_; ++e)
          add_expert(width_, p[e], x0[r], view(own.u[number(l, e)])[r], chunk.parameters + biases_[l], next[r]);
      }
    }
  }

  void backward(const Chunk& chunk, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, bool add, float* gradient) const override {
    Activations& own = activations(chunk);
    const Rows<const float> x0 = chunk.inputs[0];
    const Rows<float> g = view(own.g), du = view(own.du), dx = view(own.dx), dx0 = view(own.dx0);
    copy_rows(chunk.rows, upstream, g);
    std::fill_n(dx0.data, chunk.rows * width_, 0.0f);
    std::fill_n(own.sums.data(), size(), 0.0f);
    for (std::size_t l = biases_.size(); l-- > 0;) {
      // g is the gradient of x_{l+1}; what reaches x_l by way of the experts gathers in `reached`, behind x_l's place.
      const Rows<float> reached = view(own.x[l]);
      const Rows<const float> x = input(chunk, l);
      std::fill_n(reached.data, chunk.rows * width_, 0.0f);
      for (Index e = 0; e < experts_; ++e) {
        for (Index r = 0; r < chunk.rows; ++r)
          own.dp(r * experts_ + e) = expert_back(
              width_, {own.p[l](r * experts_ + e), view(own.u[number(l, e)])[r], chunk.parameters + biases_[l]}, g[r],
              x0[r], du[r], dx0[r], own.sums.data() + biases_[l]);
        product(l, e).backward(chunk.rows, packed(chunk, l, e), add, gradient, du, dx, own.panels[number(l, e)]);
        for (Index r = 0; r < chunk.rows; ++r) dense::add(width_, dx[r], reached[r]);
      }
      if (experts_ > 1)
        for (Index r = 0; r < chunk.rows; ++r)
          gates_back(own.p[l].data() + r * experts_, own.dp.data() + r * experts_, chunk.parameters + gates_, x[r],
                     own.sums.data() + gates_, reached[r]);
      for (Index r = 0; r < chunk.rows; ++r) dense::add(width_, reached[r], g[r]);
    }
    add_sums(own.sums.data(), add, gradient);
    if (input_gradients[0].data == nullptr) return;
    copy_rows(chunk.rows, g, input_gradients[0]);
    for (Index r = 0; r < chunk.rows; ++r) dense::add(width_, dx0[r], input_gradients[0][r]);
  }
  std::unique_ptr<DeviceLayer> on_device(DeviceProducts& products) const override {
    return mixture_cross_on_device(products_, experts_, biases_, gates_, products);
  }

 private:
  struct Activations : Workspace {
    std::vector<MlpWorkspace> panels;  // [layer, expert]
    std::vector<Vector<float>> u;      // [layer, expert] without its bias
    std::vector<Vector<float>> x, p;   // [layer] x_{l+1} but the last; the gates' shares [rows, experts]
    Vector<float> g, du, dx, dx0, dp;  // gradients: of the layer's output, of u, by way of the products, of x_0, of p
    Vector<float> sums;                // the chunk's, of the biases and gates
  };
  static Activations& activations(const Chunk& chunk) { return *static_cast<Activations*>(chunk.workspace); }

  std::size_t number(std::size_t l, Index e) const { return l * experts_ + e; }
  const Mlp& product(std::size_t l, Index e) const { return products_[number(l, e)]; }
  const float* packed(const Chunk& chunk, std::size_t l, Index e) const {
    return chunk.packed + Index(number(l, e)) * products_.front().packed_size();
  }
  Rows<float> view(const Vector<float>& numbers) const { return {numbers.data(), width_, width_}; }
  /// x_l.
  Rows<const float> input(const Chunk& chunk, std::size_t l) const {
    return l == 0 ? chunk.inputs[0] : Rows<const float>(view(activations(chunk).x[l - 1]));
  }

  /// One sample's: through the softmax to the gates and to x.
  void gates_back(const float* p, float* dp, const float* gates, const float* x, float* gate_sums, float* dx) const {
    shares_back_of(experts_, p, dp);
    for (Index e = 0; e < experts_; ++e) {
      add_scaled(width_, dp[e], x, gate_sums + e * width_);
      add_scaled(width_, dp[e], gates + e * width_, dx);
    }
  }
  void add_sums(const float* sums, bool add, float* gradient) const {
    const auto tensor = [&](Index at, Index n) {
      if (!add) std::fill_n(gradient + at, n, 0.0f);
      dense::add(n, sums + at, gradient + at);
    };
    for (const Index bias : biases_) tensor(bias, width_);
    if (experts_ > 1) tensor(gates_, experts_ * width_);
  }

  Index width_, rank_, experts_;
  std::vector<Mlp> products_;  // [layer, expert]
  std::vector<Index> biases_;  // [layer] first float
  Index gates_ = 0;
};

}  // namespace

std::unique_ptr<Layer> make_mixture_cross(const LayerSettings& settings, const std::vector<InputShape>& inputs) {
  if (inputs.size() != 1)
    fail("a mixture_cross has one input, and not ", inputs.size(), "; put them side by side with a cat");
  if (settings.layers < 1) fail("a mixture_cross needs layers, 1 or more");
  if (settings.rank < 1) fail("a mixture_cross needs rank, 1 or more");
  if (settings.experts < 1) fail("a mixture_cross needs experts, 1 or more");
  return std::make_unique<MixtureCross>(inputs[0].width(), settings.layers, settings.rank, settings.experts,
                                        settings.precision);
}

}  // namespace tesserec::dense
