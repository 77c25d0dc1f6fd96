// SPDX-License-Identifier: Apache-2.0
// attention and weighted_sum on a device: layers that read a sequence of vectors a sample.
#include "device_blocks.hpp"
#include "device_layers.hpp"
#include "layer_formulas.hpp"
#include "row_threads.hpp"
#include <tesserec/core/device_loops.hpp>

namespace tesserec::dense {
namespace {

class AttentionOnDevice final : public DeviceLayer {
 public:
  AttentionOnDevice(std::unique_ptr<DeviceLayer> mlp, Index dim, float scale)
      : mlp_(std::move(mlp)), dim_(dim), scale_(scale) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    const Rows<const float> target = batch.inputs[0], history = batch.inputs[1];
    const Index dim = dim_, count = history.vectors;
    samples_.find(device, batch.rows, history);
    reserve_device(device, x_, "tesserec::dense::attention", count * 4 * dim);
    reserve_device(device, weights_, "tesserec::dense::attention", count);
    const Index* const sample = samples_.of_vectors();
    float *const x = x_.data(), *const weights = weights_.data();
    over_numbers(
        device, "tesserec::dense::meet", count * dim, KOKKOS_LAMBDA(Index at) {
          const Index j = at / dim, i = at % dim;
          meet(dim, i, target[sample[j]][i], history[j][i], x + j * 4 * dim);
        });
    vectors_ = {x, 4 * dim, 4 * dim};
    mlp_->forward(device, of_vectors(batch), {weights, 1, 1});
    const float scale = scale_;
    if (scale > 0)
      over_numbers(
          device, "tesserec::dense::softmax", batch.rows, KOKKOS_LAMBDA(Index r) {
            const Index begin = history.offsets[r], n = history.offsets[r + 1] - begin;
            if (n > 0) softmax_of(n, scale, weights + begin);
          });
    add_weighted(device, batch.rows, history, weights, out);
  }

  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    const Rows<const float> target = batch.inputs[0], history = batch.inputs[1];
    const Rows<float> to_target = input_gradients[0], to_history = input_gradients[1];
    const Index dim = dim_, count = history.vectors;
    reserve_device(device, dx_, "tesserec::dense::attention", count * 4 * dim);
    reserve_device(device, slopes_, "tesserec::dense::attention", count);
    const Index* const sample = samples_.of_vectors();
    const float* const weights = weights_.data();
    float *const slopes = slopes_.data(), *const dx = dx_.data();
    over_rows(
        device, "tesserec::dense::attention_back", count, KOKKOS_LAMBDA(Index j, const RowThreads& threads) {
          const float *const dy = upstream[sample[j]], weight = weights[j];
          const float slope = inner_product_by(threads, dim, dy, history[j]);
          if (threads.first()) slopes[j] = slope;
          float* const to = to_history[j];
          threads.each(dim, [=](Index i) { to[i] = weight * dy[i]; });
        });
    const float scale = scale_;
    if (scale > 0)
      over_numbers(
          device, "tesserec::dense::softmax_back", batch.rows, KOKKOS_LAMBDA(Index r) {
            const Index begin = history.offsets[r];
            softmax_back_of(history.offsets[r + 1] - begin, scale, weights + begin, slopes + begin);
          });
    Batch vectors = of_vectors(batch);
    vectors.chunks = blocks_.cut(device, batch.chunks, history, batch.host_offsets[1]);
    const Rows<float> to_vectors{dx, 4 * dim, 4 * dim};
    mlp_->backward(device, vectors, {weights, 1, 1}, {slopes, 1, 1}, {&to_vectors, 1}, gradient);
    over_numbers(
        device, "tesserec::dense::part", batch.rows * dim, KOKKOS_LAMBDA(Index at) {
          const Index r = at / dim, i = at % dim;
          float dt = 0.0f;
          for (Index j = history.offsets[r]; j < history.offsets[r + 1]; ++j)
            part(dim, i, target[r][i], history[j][i], dx + j * 4 * dim, dt, to_history[j][i]);
          if (to_target.data != nullptr) to_target[r][i] = dt;
        });
  }

  /// out = sum_j w_j h_j, a chain of fma from +0.
  static void add_weighted(const Device& device, Index rows, Rows<const float> vectors, const float* weights,
                           Rows<float> out) {
    const Index dim = out.width;
    over_numbers(
        device, "tesserec::dense::weighted_sum", rows * dim, KOKKOS_LAMBDA(Index at) {
          const Index r = at / dim, i = at % dim;
          float sum = 0.0f;
          for (Index j = vectors.offsets[r]; j < vectors.offsets[r + 1]; ++j)
            sum = std::fma(weights[j], vectors[j][i], sum);
          out[r][i] = sum;
        });
  }

 private:
  Batch of_vectors(const Batch& batch) const {
    return {batch.inputs[1].vectors, {}, {&vectors_, 1}, {}, batch.parameters, batch.draw};
  }

  std::unique_ptr<DeviceLayer> mlp_;
  Index dim_;
  float scale_;  // of the softmax; 0 = there is none
  SampleOfVector samples_;
  VectorBlocks blocks_;
  DeviceVector<float> x_, dx_;            // [vectors, 4 dim]
  DeviceVector<float> weights_, slopes_;  // [vectors] a, and the gradient of the scores
  Rows<const float> vectors_;             // x_
};

class WeightedSumOnDevice final : public DeviceLayer {
 public:
  explicit WeightedSumOnDevice(Index positions) : positions_(positions) {}

  void forward(const Device& device, const Batch& batch, Rows<float> out) override {
    const Rows<const float> vectors = batch.inputs.back();
    samples_.find(device, batch.rows, vectors);
    AttentionOnDevice::add_weighted(device, batch.rows, vectors, weigh(device, batch), out);
  }
  void backward(const Device& device, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) override {
    const Rows<const float> vectors = batch.inputs.back();
    const Rows<float> to = input_gradients.back();
    const Index dim = vectors.width;
    reserve_device(device, slopes_, "tesserec::dense::weights", vectors.vectors);
    const Index* const sample = samples_.of_vectors();
    const float* const weights = weights_.data();
    float* const slopes = positions_ > 0 ? slopes_.data() : input_gradients[0].data;
    over_rows(
        device, "tesserec::dense::weighted_sum_back", vectors.vectors,
        KOKKOS_LAMBDA(Index j, const RowThreads& threads) {
          const float *const dy = upstream[sample[j]], weight = weights[j];
          float* const own = to[j];
          threads.each(dim, [=](Index i) { own[i] = weight * dy[i]; });
          const float slope = inner_product_by(threads, dim, dy, vectors[j]);
          if (threads.first()) slopes[j] = slope;
        });
    if (positions_ > 0) add_positions(device, batch, vectors, gradient);
  }

  /// A lane's slopes of each position in one chain.
  void add_positions(const Device& device, const Batch& batch, Rows<const float> vectors, LaneGradients gradient) {
    const Pieces chunks = batch.chunks;
    const Index positions = positions_;
    const float* const slopes = slopes_.data();
    over_numbers(
        device, "tesserec::dense::positions", chunks.lanes * positions, KOKKOS_LAMBDA(Index at) {
          const Index lane = at / positions, position = at % positions;
          const Index begin = chunks.of_lane[lane], end = chunks.of_lane[lane + 1];
          float sum = 0.0f;
          for (Index r = chunks.rows[begin]; r < chunks.rows[end]; ++r) {
            const Index first = vectors.offsets[r] + position, after = vectors.offsets[r + 1];
            const Index last = position + 1 < positions && first + 1 < after ? first + 1 : after;
            for (Index j = first; j < last; ++j) sum += slopes[j];
          }
          gradient.data[lane * gradient.stride + position] = sum;
        });
  }
  /// [vectors] each one's weight.
  const float* weigh(const Device& device, const Batch& batch) {
    const Rows<const float> vectors = batch.inputs.back(), of_ids = batch.inputs[0];
    const Index positions = positions_;
    const Index* const sample = samples_.of_vectors();
    const float* const parameters = batch.parameters;
    reserve_device(device, weights_, "tesserec::dense::weights", vectors.vectors);
    float* const weights = weights_.data();
    over_numbers(
        device, "tesserec::dense::weights", vectors.vectors, KOKKOS_LAMBDA(Index j) {
          if (positions == 0) {
            weights[j] = *of_ids[j];
            return;
          }
          const Index position = j - vectors.offsets[sample[j]];
          weights[j] = parameters[position < positions - 1 ? position : positions - 1];
        });
    return weights;
  }

 private:
  Index positions_;
  SampleOfVector samples_;
  DeviceVector<float> weights_, slopes_;  // [vectors]
};

}  // namespace

std::unique_ptr<DeviceLayer> attention_on_device(std::unique_ptr<DeviceLayer> mlp, Index dim, float scale) {
  return std::make_unique<AttentionOnDevice>(std::move(mlp), dim, scale);
}
std::unique_ptr<DeviceLayer> weighted_sum_on_device(Index positions) {
  return std::make_unique<WeightedSumOnDevice>(positions);
}

}  // namespace tesserec::dense
