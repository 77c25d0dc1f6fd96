// SPDX-License-Identifier: Apache-2.0
// The two towers' loss (Yi et al., RecSys 2019; Covington et al., RecSys 2016). Sample i has a query u_i and an item
// v_i:
//   s_ij = u_i . v_j / temperature;   loss_i = w_i y_i (log sum_j e^{s_ij} - s_ii),  w_i the sample's weight
// over the samples j of its chunk, clicked or not. A chunk is a function of the lane and the batch alone, so that the
// others are the same at any number of ranks.
#include <algorithm>
#include <cmath>

#include "device_layers.hpp"
#include "eight_chains.hpp"
#include "layers.hpp"
#include <tesserec/core/elementary.hpp>
#include <tesserec/core/error.hpp>
#include <tesserec/core/kernel.hpp>

namespace tesserec::dense {
namespace {

/// out[j] = sum over k of a[k] b[k][j], one chain of fma from +0.
TESSEREC_KERNEL void combine(Index depth, Index n, const float* a, Index a_stride, const float* b, Index b_stride,
                             float* out) {
  std::fill_n(out, n, 0.0f);
  for (Index k = 0; k < depth; ++k) {
    const float factor = a[k * a_stride];
    for (Index j = 0; j < n; ++j) out[j] = std::fma(factor, b[k * b_stride + j], out[j]);
  }
}

/// e^{s_j - most}, and their sum in eight chains.
TESSEREC_KERNEL double exponentials(Index n, float most, float* s) {
  for (Index j = 0; j < n; ++j) s[j] = elementary::exp(s[j] - most);
  return eight_chains<double>(n, [=](Index j, double sum) { return sum + s[j]; });
}

TESSEREC_KERNEL void scale(Index n, float factor, float* x) {
  for (Index j = 0; j < n; ++j) x[j] *= factor;
}

class InBatchSoftmax final : public LossFunction {
 public:
  explicit InBatchSoftmax(double temperature) : scale_(1.0 / temperature) {}

  std::string refuses(Index width) const override {
    return width > 0 && width % 2 == 0 ? "" : "two vectors of one width of each sample, side by side";
  }
  Index scratch(Index rows, Index width) const override { return rows * (rows + width / 2); }

  void evaluate(const Chunk& chunk, double& sum, Rows<float> gradient) const override {
    const Index rows = chunk.rows, width = chunk.out.width, dim = width / 2;
    float *const s = chunk.scratch, *const items = s + rows * rows;  // [rows, rows], [dim, rows]
    for (Index j = 0; j < rows; ++j)
      for (Index d = 0; d < dim; ++d) items[d * rows + j] = chunk.out[j][dim + d];
    for (Index i = 0; i < rows; ++i) {
      float* const row = s + i * rows;
      const double label = asked(chunk, i);
      if (label == 0.0) {  // its item is among the others', its query is not asked
        std::fill_n(row, rows, 0.0f);
        continue;
      }
      combine(dim, rows, chunk.out[i], 1, items, rows, row);
      scale(rows, scale_, row);
      const float own = row[i], most = *std::max_element(row, row + rows);
      const double all = exponentials(rows, most, row);
      sum += label * (elementary::log(all) + most - own);
      // The row is from here on d(loss / samples)/d(u_i . v_j).
      const double factor = label * scale_ / double(chunk.samples);
      scale(rows, factor / all, row);
      row[i] -= float(factor);
    }
    for (Index i = 0; i < rows; ++i) {
      if (asked(chunk, i) == 0.0)
        std::fill_n(gradient[i], dim, 0.0f);
      else
        combine(rows, dim, s + i * rows, 1, chunk.out.data + dim, chunk.out.stride, gradient[i]);
      combine(rows, dim, s + i, rows, chunk.out.data, chunk.out.stride, gradient[i] + dim);
    }
  }

  double prediction(const float* out, Index width) const override {
    double score = 0.0;
    for (Index d = 0; d < width / 2; ++d) score += double(out[d]) * out[width / 2 + d];
    return elementary::sigmoid(scale_ * score);
  }
  std::unique_ptr<DeviceLoss> on_device() const override { return in_batch_softmax_on_device(scale_); }

 private:
  static double asked(const Chunk& chunk, Index i) { return double(chunk.labels[i]) * chunk.weight(i); }

  double scale_;  // 1 / temperature
};

}  // namespace

std::unique_ptr<LossFunction> make_in_batch_softmax(const LossSettings& settings) {
  if (!(settings.temperature > 0.0)) fail("loss_temperature is ", settings.temperature, "; it must be above 0");
  return std::make_unique<InBatchSoftmax>(settings.temperature);
}

}  // namespace tesserec::dense
