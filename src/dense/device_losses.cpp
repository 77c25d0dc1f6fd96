// SPDX-License-Identifier: Apache-2.0
// The losses on a device.
#include "device_layers.hpp"
#include "loss_formulas.hpp"
#include "row_threads.hpp"
#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/lanes.hpp>

namespace tesserec::dense {
namespace {

/// Loss of a logit and a label alone.
class SampleLossOnDevice final : public DeviceLoss {
 public:
  explicit SampleLossOnDevice(const SampleLoss& settings) : formula_(settings) {}

  void evaluate(const Device& device, const Batch& batch, double* losses, Rows<float> gradient) override {
    const LossFormula formula = formula_;
    const auto n = double(batch.samples);
    const Rows<const float> logits = batch.out;
    const float *const labels = batch.labels, *const weights = batch.weights;
    over_numbers(
        device, "tesserec::dense::loss", batch.rows, KOKKOS_LAMBDA(Index i) {
          const LossValue loss = formula.of_logit(*logits[i], labels[i]);
          const double weight = weights == nullptr ? 1.0 : weights[i];
          losses[i] = weight * loss.value;
          *gradient[i] = float(weight * loss.gradient / n);
        });
  }
  void predict(const Device& device, Index rows, Rows<const float> out, float* probabilities) override {
    const LossFormula formula = formula_;
    over_numbers(
        device, "tesserec::dense::predict", rows,
        KOKKOS_LAMBDA(Index i) { probabilities[i] = float(formula.prediction(*out[i])); });
  }

 private:
  LossFormula formula_;
};

/// Facts about a batch's chunks for kernels.
struct Chunks {
  Pieces pieces;
  const float *labels, *weights;
  explicit Chunks(const DeviceLoss::Batch& batch)
      : pieces(batch.chunks), labels(batch.labels), weights(batch.weights) {}
  TESSEREC_FUNCTION Index first(Index chunk) const { return pieces.rows[chunk]; }
  TESSEREC_FUNCTION Index size(Index chunk) const { return pieces.rows[chunk + 1] - pieces.rows[chunk]; }
  TESSEREC_FUNCTION double asked(Index i) const { return double(labels[i]) * (weights == nullptr ? 1.0f : weights[i]); }
};

/// in_batch_softmax.cpp has the formula.
class InBatchSoftmaxOnDevice final : public DeviceLoss {
 public:
  explicit InBatchSoftmaxOnDevice(double scale) : scale_(scale) {}

  void evaluate(const Device& device, const Batch& batch, double* losses, Rows<float> gradient) override {
    reserve_device(device, scores_, "tesserec::dense::scores", batch.rows * chunk_samples);
    reserve_device(device, slopes_, "tesserec::dense::slopes", batch.rows * chunk_samples);
    score(device, batch);
    soften(device, batch, losses);
    spread(device, batch, gradient);
  }

  /// scores(i, j) = u_i . v_j / temperature over the samples j of i's chunk.
  void score(const Device& device, const Batch& batch) {
    const Chunks chunks(batch);
    const Index dim = batch.out.width / 2;
    const auto scale = float(scale_);
    const Rows<const float> out = batch.out;
    float* const scores = scores_.data();
    over_numbers(
        device, "tesserec::dense::scores", batch.chunks.count * most * most, KOKKOS_LAMBDA(Index at) {
          const Index first = chunks.first(at / (most * most)), size = chunks.size(at / (most * most));
          const Index i = at / most % most, j = at % most;
          if (i >= size || j >= size || chunks.asked(first + i) == 0.0) return;
          float sum = 0.0f;
          for (Index k = 0; k < dim; ++k) sum = std::fma(out[first + i][k], out[first + j][dim + k], sum);
          scores[(first + i) * most + j] = sum * scale;
        });
  }
  /// slopes(i, j) = d(loss / samples)/d(u_i . v_j), and the losses.
  void soften(const Device& device, const Batch& batch, double* losses) {
    const Chunks chunks(batch);
    const double scale = scale_, samples = double(batch.samples);
    const float* const scores = scores_.data();
    float* const slopes = slopes_.data();
    over_rows(
        device, "tesserec::dense::in_batch_softmax", batch.chunks.count * most,
        KOKKOS_LAMBDA(Index at, const RowThreads& threads) {
          const Index first = chunks.first(at / most), n = chunks.size(at / most), i = at % most;
          if (i >= n) return;
          const float* const s = scores + (first + i) * most;
          float* const row = slopes + (first + i) * most;
          const double label = chunks.asked(first + i);
          if (label == 0.0) {  // its item is among the others', its query is not asked
            threads.each(n, [=](Index j) { row[j] = 0.0f; });
            if (threads.first()) losses[first + i] = 0.0;
            return;
          }
          float largest = s[0];
          for (Index j = 1; j < n; ++j) largest = largest < s[j] ? s[j] : largest;
          const double all = threads.chains<double>(n, [=](Index j, double sum) {
            row[j] = elementary::exp(s[j] - largest);
            return sum + row[j];
          });
          if (threads.first()) losses[first + i] = label * (elementary::log(all) + largest - s[i]);
          const double factor = label * scale / samples;
          const auto each = float(factor / all), own = float(factor);
          threads.each(n, [=](Index j) {
            row[j] *= each;
            if (j == i) row[j] -= own;
          });
        });
  }
  /// Writes the gradient: of u_i the slopes' sum over items in order, of v_i over queries.
  void spread(const Device& device, const Batch& batch, Rows<float> gradient) {
    const Chunks chunks(batch);
    const Index width = batch.out.width, dim = width / 2;
    const Rows<const float> out = batch.out;
    const float* const slopes = slopes_.data();
    over_numbers(
        device, "tesserec::dense::in_batch_softmax_back", batch.chunks.count * most * width, KOKKOS_LAMBDA(Index at) {
          const Index chunk = at / (most * width), i = at / width % most, d = at % width;
          const Index first = chunks.first(chunk), n = chunks.size(chunk);
          if (i >= n) return;
          const bool query = d < dim;
          float sum = 0.0f;
          for (Index k = 0; k < n && !(query && chunks.asked(first + i) == 0.0); ++k) {
            const float slope = slopes[query ? (first + i) * most + k : (first + k) * most + i];
            sum = std::fma(slope, out[first + k][query ? dim + d : d - dim], sum);
          }
          gradient[first + i][d] = sum;
        });
  }
  void predict(const Device& device, Index rows, Rows<const float> out, float* probabilities) override {
    const Index dim = out.width / 2;
    const double scale = scale_;
    over_numbers(
        device, "tesserec::dense::predict", rows, KOKKOS_LAMBDA(Index i) {
          double score = 0.0;
          for (Index d = 0; d < dim; ++d) score += double(out[i][d]) * out[i][dim + d];
          probabilities[i] = float(elementary::sigmoid(scale * score));
        });
  }

 private:
  static constexpr Index most = chunk_samples;
  double scale_;                         // 1 / temperature
  DeviceVector<float> scores_, slopes_;  // [rows, chunk_samples]
};

}  // namespace

std::unique_ptr<DeviceLoss> sample_loss_on_device(const SampleLoss& settings) {
  return std::make_unique<SampleLossOnDevice>(settings);
}
std::unique_ptr<DeviceLoss> in_batch_softmax_on_device(double scale) {
  return std::make_unique<InBatchSoftmaxOnDevice>(scale);
}

}  // namespace tesserec::dense
