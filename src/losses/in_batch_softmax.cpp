// SPDX-License-Identifier: Apache-2.0
// In-batch softmax loss of two towers (Yi et al., RecSys 2019; Covington et al., RecSys 2016). Sample i has a query
// u_i, an item v_i, a label y_i and a weight w_i:
//   s_ij = u_i . v_j / temperature;   loss_i = w_i y_i (log sum_j e^{s_ij} - s_ii)
// over all samples j of its chunk, clicked or not. A chunk depends on the lane and the batch alone, so the loss does
// not depend on the number of ranks.
#include "in_batch_softmax.hpp"

#include <cmath>

#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/lanes.hpp>

namespace tesserec::losses {
namespace {

/// Chunks of a batch, for loops over [chunks, chunk_samples].
struct Chunks {
  LossFunction::Batch batch;
  static constexpr Index capacity = chunk_samples;
  struct ChunkSample {
    Index first, size, i;  // the chunk's first row and its samples; this sample's index in it
    TESSEREC_FUNCTION bool is_none() const { return i >= size; }
    TESSEREC_FUNCTION Index row() const { return first + i; }
  };
  TESSEREC_FUNCTION ChunkSample sample(Index at) const {
    const Index* const rows = batch.chunks.rows + at / capacity;
    return {rows[0], rows[1] - rows[0], at % capacity};
  }
  TESSEREC_FUNCTION double label(Index row) const { return double(batch.labels[row]) * batch.weight(row); }
};

class InBatchSoftmax final : public LossFunction {
 public:
  explicit InBatchSoftmax(double temperature) : scale_(1.0 / temperature) {}

  std::string refuses(Index width) const override {
    return width > 0 && width % 2 == 0 ? "" : "two vectors of equal width per sample, side by side";
  }
  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Scores>(); }

  void evaluate(const Where& where, const Batch& batch, double* losses, Rows<float> gradient) const override {
    Scores& own = *static_cast<Scores*>(batch.workspace);
    const Chunks chunks{batch};
    const Index capacity = Chunks::capacity, count = batch.chunks.count * capacity, dim = batch.out.width / 2;
    const Rows<const float> out = batch.out;
    const double scale = scale_, samples = double(batch.samples);
    float* const slopes = own.slopes.reserve(where, "tesserec::losses::scores", batch.rows * capacity);
    float* const items =
        own.items.reserve(where, "tesserec::losses::items", batch.rows * dim);  // [chunk][dim, samples]
    over_elements(
        where, "tesserec::losses::items", count, dim, KOKKOS_LAMBDA(Index at, Index d) {
          const Chunks::ChunkSample s = chunks.sample(at);
          if (!s.is_none()) items[s.first * dim + d * s.size + s.i] = out[s.row()][dim + d];
        });
    // Row i of slopes: s_ij, then their exponentials, then d(loss / samples)/d(u_i . v_j).
    over_rows(
        where, "tesserec::losses::in_batch_softmax", count, KOKKOS_LAMBDA(Index at, const RowThreads& threads) {
          const Chunks::ChunkSample s = chunks.sample(at);
          if (s.is_none()) return;
          const Index n = s.size;
          float* const row = slopes + s.row() * capacity;
          const double label = chunks.label(s.row());
          if (label == 0.0) {  // no loss of its own, but its item is a negative of others
            threads.each(n, [=](Index j) { row[j] = 0.0f; });
            if (threads.first()) losses[s.row()] = 0.0;
            return;
          }
          const float *const u = out[s.row()], *const v = items + s.first * dim, by = float(scale);
          threads.sums(
              n, dim, [](Index) { return 0.0f; },
              [=](Index k, Index j, float sum) { return std::fma(u[k], v[k * n + j], sum); },
              [=](Index j, float sum) { row[j] = sum * by; });
          threads.sync();
          const float own_score = row[s.i];
          float largest = row[0];
          for (Index j = 1; j < n; ++j) largest = largest < row[j] ? row[j] : largest;
          threads.sync();
          threads.each(n, [=](Index j) { row[j] = elementary::exp(row[j] - largest); });
          const double total = threads.chains<double>(n, [=](Index j, double sum) { return sum + row[j]; });
          if (threads.first()) losses[s.row()] = label * (elementary::log(total) + largest - own_score);
          const double factor = label * scale / samples;
          const auto factor_of_all = float(factor / total), factor_of_own = float(factor);
          threads.each(n, [=](Index j) {
            row[j] *= factor_of_all;
            if (j == s.i) row[j] -= factor_of_own;
          });
        });
    // The gradient of u_i sums slopes times items in order, that of v_i slopes times queries.
    over_rows(
        where, "tesserec::losses::in_batch_softmax_back", count, KOKKOS_LAMBDA(Index at, const RowThreads& threads) {
          const Chunks::ChunkSample s = chunks.sample(at);
          if (s.is_none()) return;
          const float *const own_row = slopes + s.row() * capacity, *const column = slopes + s.first * capacity + s.i;
          float* const to = gradient[s.row()];
          const Index terms = chunks.label(s.row()) == 0.0 ? 0 : s.size;
          const auto zero = [](Index) { return 0.0f; };
          threads.sums(
              dim, terms, zero,
              [=](Index k, Index d, float sum) { return std::fma(own_row[k], out[s.first + k][dim + d], sum); },
              [=](Index d, float sum) { to[d] = sum; });
          threads.sums(
              dim, s.size, zero,
              [=](Index k, Index d, float sum) { return std::fma(column[k * capacity], out[s.first + k][d], sum); },
              [=](Index d, float sum) { to[dim + d] = sum; });
        });
  }

  void predict(const Where& where, Index rows, Rows<const float> out, float* probabilities) const override {
    const Index dim = out.width / 2;
    const double scale = scale_;
    over_numbers(
        where, "tesserec::losses::predict", rows, KOKKOS_LAMBDA(Index i) {
          double score = 0.0;
          for (Index d = 0; d < dim; ++d) score += double(out[i][d]) * out[i][dim + d];
          probabilities[i] = float(elementary::sigmoid(scale * score));
        });
  }

 private:
  struct Scores : Workspace {
    LoopBuffer<float> slopes;  // [rows, chunk_samples]
    LoopBuffer<float> items;   // [chunk][dim, samples]
  };

  double scale_;  // 1 / temperature
};

}  // namespace

std::unique_ptr<LossFunction> make_in_batch_softmax(const LossSettings& settings) {
  if (!(settings.temperature > 0.0)) fail("loss_temperature is ", settings.temperature, ", but it must be above 0");
  return std::make_unique<InBatchSoftmax>(settings.temperature);
}

}  // namespace tesserec::losses
