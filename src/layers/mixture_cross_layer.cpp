// SPDX-License-Identifier: Apache-2.0
// DCN v2's cross network of experts (Wang et al., arXiv 2008.13535, as TorchRec's LowRankMixtureCrossNet). Each layer l
// and expert e has its own V [rank, n], C [rank, rank] and U [n, rank]:
//   u_e = U relu(C relu(V x_l)) + b_l;   x_{l+1} = x_0 * sum_e p_e u_e + x_l;   p = softmax(gates x_l)
// All layers share the gates [experts, n]. A single expert has no gates.
#include "layer_formulas.hpp"
#include "makers.hpp"
#include <tesserec/core/chunk_sums.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>
#include <tesserec/layers/mlp.hpp>

namespace tesserec::layers {
namespace {

class MixtureCross final : public Layer {
 public:
  MixtureCross(Index width, Index layers, Index rank, Index experts, products::Precision precision)
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
        const Index packed_begin = products_.empty() ? 0 : products_.back().packed_end();
        products_.emplace_back(std::vector<LinearLayer>{v, c, u}, precision, packed_begin);
      }
      biases_.push_back(add_parameter(name + ".bias", width, 1, Start::zero));
    }
    if (experts > 1) gates_ = add_parameter("gates", experts, width, Start::weight);
  }

  Index width() const override { return width_; }
  std::string describe() const override {
    return concat(biases_.size(), " of ", width_, ", ", experts_, " experts of rank ", rank_);
  }
  Flops flops() const override { return products_.front().flops(double(products_.size()), double(experts_)); }

  Index packed_size() const override { return products_.back().packed_end(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range range) const override {
    for (const Mlp& mlp : products_) mlp.pack(exec, parameters, backward, packed, range);
  }

  std::unique_ptr<Workspace> make_workspace() const override {
    auto made = std::make_unique<Activations>(biases_.size(), products_.size());
    for (const Mlp& mlp : products_) made->chains.push_back(mlp.make_matrices());
    return made;
  }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    Activations& own = this->own<Activations>(batch);
    for (std::size_t l = 0; l < biases_.size(); ++l) {
      const bool last = l + 1 == biases_.size();
      const Rows<const float> x = input(batch, l);
      const Rows<float> next = last ? out : reserve_rows(where, batch, own.x[l]);
      share(where, batch, l, x);
      copy_rows(where, batch.rows, x, next);
      for (Index e = 0; e < experts_; ++e) {
        const std::size_t n = number(l, e);
        products_[n].forward(where, batch, x, reserve_rows(where, batch, own.u[n]), own.chains[n]);
        add_expert(where, batch, l, e, next);
      }
    }
  }

  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    Activations& own = this->own<Activations>(batch);
    const Rows<float> g = reserve_rows(where, batch, own.g), du = reserve_rows(where, batch, own.du),
                      dx = reserve_rows(where, batch, own.dx), dx0 = reserve_rows(where, batch, own.dx0),
                      reached = reserve_rows(where, batch, own.reached);
    own.dp.reserve(where, "tesserec::layers::shares", batch.rows * experts_);
    copy_rows(where, batch.rows, upstream, g);
    clear_rows(where, batch.rows, dx0);
    own.gate_sums.begin(where, batch.chunks, experts_ * width_);
    for (std::size_t l = biases_.size(); l-- > 0;) {
      // g is the gradient of x_{l+1}. `reached` sums the gradients of x_l through the experts and the gates.
      const Rows<const float> x = input(batch, l);
      clear_rows(where, batch.rows, reached);
      own.bias_sums.begin(where, batch.chunks, width_);
      for (Index e = 0; e < experts_; ++e) {
        const std::size_t n = number(l, e);
        expert_backward(where, batch, l, e);
        own.bias_sums.add(
            where, "tesserec::layers::mixture_bias", 0, width_,
            KOKKOS_LAMBDA(Index r, Index c, float sum) { return sum + du[r][c]; });
        products_[n].backward(where, batch, du, dx, gradient, own.chains[n]);
        add_rows(where, batch.rows, dx, reached);
      }
      own.bias_sums.finish(where, 0, width_, gradient.from(biases_[l]), ChunkSums::Lane::from_zero);
      if (experts_ > 1) backward_gates(where, batch, l, x);
      add_rows(where, batch.rows, reached, g);
    }
    if (experts_ > 1)
      own.gate_sums.finish(where, 0, experts_ * width_, gradient.from(gates_), ChunkSums::Lane::from_zero);
    if (input_gradients[0].data == nullptr) return;
    copy_rows(where, batch.rows, g, input_gradients[0]);
    add_rows(where, batch.rows, dx0, input_gradients[0]);
  }

  /// Computes p = softmax(gates x) [rows, experts].
  void share(const Where& where, const Batch& batch, std::size_t l, Rows<const float> x) const {
    const Index experts = experts_, width = width_;
    float* const shares = own<Activations>(batch).p[l].reserve(where, "tesserec::layers::shares", batch.rows * experts);
    const float* const gates = batch.parameters + gates_;
    over_rows(
        where, "tesserec::layers::gates", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          float* const p = shares + r * experts;
          for (Index e = 0; e < experts; ++e) {
            const float gate = experts > 1 ? inner_product(threads, width, gates + e * width, x[r]) : 0.0f;
            if (threads.first()) p[e] = gate;
          }
          if (threads.first()) softmax(experts, 1.0f, p);
        });
  }
  /// Adds one expert's p x0 (u + bias) to `next`.
  void add_expert(const Where& where, const Batch& batch, std::size_t l, Index e, Rows<float> next) const {
    const Activations& own = this->own<Activations>(batch);
    const Index experts = experts_, width = width_;
    const Rows<const float> x0 = batch.inputs[0];
    const float *const shares = own.p[l].data() + e, *const u = own.u[number(l, e)].data();
    const float* const bias = batch.parameters + biases_[l];
    over_elements(
        where, "tesserec::layers::add_expert", batch.rows, width, KOKKOS_LAMBDA(Index r, Index c) {
          next[r][c] += shares[r * experts] * x0[r][c] * (u[r * width + c] + bias[c]);
        });
  }
  /// Computes du = p g x0 and dp = g . (x0 (u + bias)) of one expert, and adds p g (u + bias) to dx0.
  void expert_backward(const Where& where, const Batch& batch, std::size_t l, Index e) const {
    const Activations& own = this->own<Activations>(batch);
    const Rows<const float> x0 = batch.inputs[0];
    const Index experts = experts_, width = width_;
    const float *const shares = own.p[l].data() + e, *const all_u = own.u[number(l, e)].data();
    const float *const all_g = own.g.data(), *const bias = batch.parameters + biases_[l];
    float *const all_du = own.du.data(), *const all_dx0 = own.dx0.data(), *const slopes = own.dp.data() + e;
    over_rows(
        where, "tesserec::layers::expert_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          const float *const g = all_g + r * width, *const u = all_u + r * width, *const x = x0[r];
          float *const du = all_du + r * width, *const dx0 = all_dx0 + r * width, p = shares[r * experts];
          threads.each(width, [=](Index i) {
            du[i] = p * g[i] * x[i];
            dx0[i] += p * g[i] * (u[i] + bias[i]);
          });
          const float dp = threads.chains<float>(
              width, [=](Index i, float sum) { return std::fma(g[i] * x[i], u[i] + bias[i], sum); });
          if (threads.first()) slopes[r * experts] = dp;
        });
  }
  /// Propagates dp through the softmax to the gates' gradient and to `reached`.
  void backward_gates(const Where& where, const Batch& batch, std::size_t l, Rows<const float> x) const {
    Activations& own = this->own<Activations>(batch);
    const Index experts = experts_, width = width_;
    const float *const shares = own.p[l].data(), *const gates = batch.parameters + gates_;
    float *const slopes = own.dp.data(), *const reached = own.reached.data();
    over_numbers(
        where, "tesserec::layers::shares_back", batch.rows,
        KOKKOS_LAMBDA(Index r) { softmax_back(experts, shares + r * experts, slopes + r * experts); });
    for (Index e = 0; e < experts; ++e)
      own.gate_sums.add(
          where, "tesserec::layers::gate_gradient", e * width, width,
          KOKKOS_LAMBDA(Index r, Index c, float sum) { return std::fma(slopes[r * experts + e], x[r][c], sum); });
    over_rows(
        where, "tesserec::layers::gates_input", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          float* const to = reached + r * width;
          const float* const d = slopes + r * experts;
          threads.sums(
              width, experts, [=](Index i) { return to[i]; },
              [=](Index e, Index i, float sum) { return std::fma(d[e], gates[e * width + i], sum); },
              [=](Index i, float sum) { to[i] = sum; });
        });
  }

 private:
  struct Activations : Workspace {
    Activations(std::size_t layers, std::size_t chains) : u(chains), x(layers - 1), p(layers) {}
    std::vector<Mlp::Matrices> chains;          // [layer, expert]
    std::vector<LoopBuffer<float>> u;           // [layer, expert] u_e without the bias
    std::vector<LoopBuffer<float>> x, p;        // [layer] x_{l+1} except the last; p [rows, experts]
    LoopBuffer<float> g, du, dx, dx0, reached;  // gradients of x_{l+1}, of u, through a chain, of x_0, of x_l
    LoopBuffer<float> dp;                       // gradient of p [rows, experts]
    ChunkSums bias_sums, gate_sums;
  };

  std::size_t number(std::size_t l, Index e) const { return l * experts_ + e; }
  Rows<float> reserve_rows(const Where& where, const Batch& batch, LoopBuffer<float>& to) const {
    return {to.reserve(where, "tesserec::layers::cross", batch.rows * width_), width_, width_};
  }
  /// Returns x_l.
  Rows<const float> input(const Batch& batch, std::size_t l) const {
    if (l == 0) return batch.inputs[0];
    return {own<Activations>(batch).x[l - 1].data(), width_, width_};
  }

  Index width_, rank_, experts_;
  std::vector<Mlp> products_;  // [layer, expert]
  std::vector<Index> biases_;  // [layer] first float of the bias
  Index gates_ = 0;
};

}  // namespace

std::unique_ptr<Layer> make_mixture_cross(const LayerSettings& settings, const InputShapes& inputs) {
  const Index width = one_width("a mixture_cross", inputs);
  if (settings.layers < 1) fail("a mixture_cross has layers = ", settings.layers, "; give 1 or more");
  if (settings.rank < 1) fail("a mixture_cross has rank = ", settings.rank, "; give 1 or more");
  if (settings.experts < 1) fail("a mixture_cross has experts = ", settings.experts, "; give 1 or more");
  return std::make_unique<MixtureCross>(width, settings.layers, settings.rank, settings.experts, settings.precision);
}

}  // namespace tesserec::layers
