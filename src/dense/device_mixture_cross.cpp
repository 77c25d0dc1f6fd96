// SPDX-License-Identifier: Apache-2.0
#include "device_layers.hpp"
#include "device_mlp.hpp"
#include "device_sums.hpp"
#include "layer_formulas.hpp"
#include "row_threads.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/dense/device_rows.hpp>

namespace tesserec::dense {
namespace {

class MixtureCrossOnDevice final : public DeviceLayer {
 public:
  MixtureCrossOnDevice(const std::vector<Mlp>& chains, Index experts, const std::vector<Index>& biases, Index gates,
                       DeviceProducts& products)
      : experts_(experts), biases_(biases), gates_(gates), x_(biases.size() - 1), u_(chains.size()), p_(biases.size()) {
    for (const Mlp& chain : chains) chains_.emplace_back(chain.layers(), products);
  }

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    const Index width = out.width;
    for (std::size_t l = 0; l < biases_.size(); ++l) {
      const bool last = l + 1 == biases_.size();
      if (!last) reserve_device(device, x_[l], "tesserec::dense::cross", batch.rows * width);
      const Rows<const float> x = input(batch, l);
      const Rows<float> next = last ? out : Rows<float>{x_[l].data(), width, width};
      share(device, batch, l, x);
      copy_on(device, batch.rows, x, next);
      for (Index e = 0; e < experts_; ++e) {
        const std::size_t n = number(l, e);
        reserve_device(device, u_[n], "tesserec::dense::cross", batch.rows * width);
        chains_[n].forward(device, batch.rows, batch.parameters, x, {u_[n].data(), width, width});
        add_expert(device, batch, l, e, next);
      }
    }
  }

  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    const Index width = upstream.width;
    for (DeviceVector<float>* one : {&g_, &du_, &dx_, &dx0_, &reached_})
      reserve_device(device, *one, "tesserec::dense::cross", batch.rows * width);
    reserve_device(device, dp_, "tesserec::dense::shares", batch.rows * experts_);
    const Rows<float> g{g_.data(), width, width}, dx0{dx0_.data(), width, width},
        reached{reached_.data(), width, width};
    const Rows<float> du{du_.data(), width, width}, dx{dx_.data(), width, width};
    copy_on(device, batch.rows, upstream, g);
    clear_on(device, batch.rows, dx0);
    gate_sums_.begin(device, batch.chunks, experts_ * width);
    for (std::size_t l = biases_.size(); l-- > 0;) {
      // g is the gradient of x_{l+1}; what reaches x_l by way of the experts gathers in `reached`.
      const Rows<const float> x = input(batch, l);
      clear_on(device, batch.rows, reached);
      bias_sums_.begin(device, batch.chunks, width);
      for (Index e = 0; e < experts_; ++e) {
        expert_back(device, batch, l, e);
        bias_sums_.add(
            device, "tesserec::dense::mixture_bias", 0, width,
            KOKKOS_LAMBDA(Index r, Index c, float sum) { return sum + du[r][c]; });
        const DeviceVector<float>& u = u_[number(l, e)];
        chains_[number(l, e)].backward(device, {batch.rows, batch.parameters, x, {u.data(), width, width}},
                                       batch.chunks, du, dx, gradient);
        add_on(device, batch.rows, dx, reached);
      }
      bias_sums_.finish(device, 0, width, gradient.from(biases_[l]), ChunkSums::Lane::from_zero);
      if (experts_ > 1) gates_back(device, batch, l, x);
      add_on(device, batch.rows, reached, g);
    }
    if (experts_ > 1) gate_sums_.finish(device, 0, experts_ * width, gradient.from(gates_), ChunkSums::Lane::from_zero);
    if (input_gradients[0].data == nullptr) return;
    copy_on(device, batch.rows, g, input_gradients[0]);
    add_on(device, batch.rows, dx0, input_gradients[0]);
  }

  /// p = softmax(gates x), [rows, experts].
  void share(const Device& device, const Batch& batch, std::size_t l, Rows<const float> x) {
    const Index experts = experts_, width = x.width;
    reserve_device(device, p_[l], "tesserec::dense::shares", batch.rows * experts);
    float* const shares = p_[l].data();
    const float* const gates = batch.parameters + gates_;
    over_rows(
        device, "tesserec::dense::gates", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          float* const p = shares + r * experts;
          for (Index e = 0; e < experts; ++e) {
            const float gate = experts > 1 ? inner_product_by(threads, width, gates + e * width, x[r]) : 0.0f;
            if (threads.first()) p[e] = gate;
          }
          if (threads.first()) softmax_of(experts, 1.0f, p);
        });
  }
  void add_expert(const Device& device, const Batch& batch, std::size_t l, Index e, Rows<float> next) {
    const Index experts = experts_, width = next.width;
    const Rows<const float> x0 = batch.inputs[0];
    const float *const shares = p_[l].data(), *const u = u_[number(l, e)].data();
    const float* const bias = batch.parameters + biases_[l];
    over_numbers(
        device, "tesserec::dense::add_expert", batch.rows * width, KOKKOS_LAMBDA(Index i) {
          const Index r = i / width, c = i % width;
          add_expert_to(next[r][c], shares[r * experts + e], x0[r][c], u[i], bias[c]);
        });
  }
  /// du and dp of one expert; dx0 grows.
  void expert_back(const Device& device, const Batch& batch, std::size_t l, Index e) {
    const Rows<const float> x0 = batch.inputs[0];
    const Index experts = experts_, width = x0.width;
    const float *const shares = p_[l].data(), *const u = u_[number(l, e)].data(), *const g = g_.data();
    const float* const bias = batch.parameters + biases_[l];
    float *const du = du_.data(), *const dx0 = dx0_.data(), *const slopes = dp_.data();
    over_rows(
        device, "tesserec::dense::expert_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          const Index at = r * width;
          const ExpertOutput of{shares[r * experts + e], u + at, bias};
          const float dp = expert_back_by(threads, width, of, g + at, x0[r], du + at, dx0 + at);
          if (threads.first()) slopes[r * experts + e] = dp;
        });
  }
  /// Through the softmax to the gates and to x.
  void gates_back(const Device& device, const Batch& batch, std::size_t l, Rows<const float> x) {
    const Index experts = experts_, width = x.width;
    const float *const shares = p_[l].data(), *const gates = batch.parameters + gates_;
    float *const slopes = dp_.data(), *const reached = reached_.data();
    over_numbers(
        device, "tesserec::dense::shares_back", batch.rows,
        KOKKOS_LAMBDA(Index r) { shares_back_of(experts, shares + r * experts, slopes + r * experts); });
    gate_sums_.add(
        device, "tesserec::dense::gate_gradient", 0, experts * width, KOKKOS_LAMBDA(Index r, Index c, float sum) {
          return std::fma(slopes[r * experts + c / width], x[r][c % width], sum);
        });
    over_numbers(
        device, "tesserec::dense::gates_input", batch.rows * width, KOKKOS_LAMBDA(Index i) {
          const Index r = i / width, c = i % width;
          float sum = reached[i];
          for (Index e = 0; e < experts; ++e) sum = std::fma(slopes[r * experts + e], gates[e * width + c], sum);
          reached[i] = sum;
        });
  }

 private:
  std::size_t number(std::size_t l, Index e) const { return l * experts_ + e; }
  Rows<const float> input(const Batch& batch, std::size_t l) const {
    const Index width = batch.inputs[0].width;
    return l == 0 ? batch.inputs[0] : Rows<const float>{x_[l - 1].data(), width, width};
  }

  Index experts_;
  std::vector<Index> biases_;
  Index gates_;
  std::vector<DeviceMlp> chains_;           // [layer, expert]
  std::vector<DeviceVector<float>> x_, u_;  // [layer] x_{l+1} but the last; [layer, expert] without its bias
  std::vector<DeviceVector<float>> p_;      // [layer] the gates' shares [rows, experts]
  DeviceVector<float> g_, du_, dx_, dx0_, reached_, dp_;
  ChunkSums bias_sums_, gate_sums_;
};

}  // namespace

std::unique_ptr<DeviceLayer> mixture_cross_on_device(const std::vector<Mlp>& chains, Index experts,
                                                     const std::vector<Index>& biases, Index gates,
                                                     DeviceProducts& products) {
  return std::make_unique<MixtureCrossOnDevice>(chains, experts, biases, gates, products);
}

}  // namespace tesserec::dense
