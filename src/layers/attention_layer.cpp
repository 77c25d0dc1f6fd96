// SPDX-License-Identifier: Apache-2.0
// Local activation unit of the deep interest network (Zhou et al., KDD 2018, arXiv 1706.06978). A target t and a
// sequence h_1, h_2, ... of vectors of the same width give
//   s_j = mlp([t, h_j, t - h_j, t * h_j]);   y = sum_j a_j h_j
// with a = s as in the paper, or a = softmax(s / sqrt(width)). On a host the MLP reads the vectors of a chunk's samples
// in blocks of chunk_samples vectors. If there are several blocks, backward() recomputes the activations of each, so
// that their buffers stay small.
#include <algorithm>
#include <cmath>

#include "layer_formulas.hpp"
#include "makers.hpp"
#include "sequences.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

class Attention final : public Layer {
 public:
  Attention(std::unique_ptr<Layer> mlp, Index dim, bool softmax, double length)
      : mlp_(std::move(mlp)), dim_(dim), scale_(softmax ? 1.0f / std::sqrt(float(dim)) : 0.0f), length_(length) {
    for (const Parameter& tensor : mlp_->parameters())
      add_parameter(tensor.name, tensor.rows, tensor.columns, tensor.start);
  }

  Index width() const override { return dim_; }
  std::string describe() const override {
    return concat(mlp_->describe(), " of each vector of ", dim_, scale_ > 0 ? ", softmax" : "");
  }
  Flops flops() const override {  // recomputed blocks are not counted
    const Flops mlp = mlp_->flops();
    const double sums = 2.0 * double(dim_);
    return {length_ * (mlp.forward + sums), length_ * (mlp.inputs + 2 * sums), length_ * mlp.backward};
  }

  Index packed_size() const override { return mlp_->packed_size(); }
  void pack(const Exec& exec, const float* parameters, bool backward, float* packed, Range range) const override {
    mlp_->pack(exec, parameters, backward, packed, range);
  }
  std::unique_ptr<Workspace> make_workspace() const override {
    auto made = std::make_unique<Vectors>();
    made->mlp = mlp_->make_workspace();
    return made;
  }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    Vectors& own = this->own<Vectors>(batch);
    const LayerInput history = batch.inputs[1];
    samples_of(where, batch.rows, history.lengths, own.samples);
    float* const weights = own.weights.reserve(where, "tesserec::layers::attention", history.lengths.vectors);
    over_blocks(where, history.lengths.vectors, [&](Range ids) { score(where, batch, ids, weights); });
    const float scale = scale_;
    if (scale > 0)
      over_numbers(
          where, "tesserec::layers::softmax", batch.rows, KOKKOS_LAMBDA(Index r) {
            const Range own_vectors = history.lengths.of(r);
            if (own_vectors.size() > 0) softmax(own_vectors.size(), scale, weights + own_vectors.begin);
          });
    add_weighted(where, batch.rows, history, weights, out);
  }

  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    Vectors& own = this->own<Vectors>(batch);
    const Index vectors = batch.inputs[1].lengths.vectors;
    if (input_gradients[0].data != nullptr) clear_rows(where, batch.rows, input_gradients[0]);
    backward_weights(where, batch, upstream, input_gradients[1]);
    if (where.is_thread() && vectors == 0 && !gradient.add) std::fill_n(gradient.data, size(), 0.0f);
    const bool is_cached = !where.is_thread() || vectors <= chunk_samples;  // activations of forward() are still valid
    over_blocks(where, vectors, [&](Range ids) {
      if (!is_cached) score(where, batch, ids, own.recomputed.reserve(where, "tesserec::layers::attention", vectors));
      Batch block = of_vectors(batch, ids);
      const OnePiece piece(ids.size());
      block.chunks = where.is_thread() ? piece.pieces() : own.blocks.cut(where, batch.chunks, batch.inputs[1].lengths);
      const Rows<float> dx{own.dx.reserve(where, "tesserec::layers::attention", ids.size() * 4 * dim_), 4 * dim_,
                           4 * dim_};
      LaneGradients sum = gradient;
      sum.add = gradient.add || ids.begin > 0;
      mlp_->backward(where, block, {(is_cached ? own.weights : own.recomputed).data() + ids.begin, 1, 1},
                     {own.slopes.data() + ids.begin, 1, 1}, {&dx, 1}, sum);
      backward_input(where, batch, ids, input_gradients);
    });
  }

  /// Writes the MLP's inputs x = [t, h, t - h, t * h] for vectors `ids`, and their scores.
  void score(const Where& where, const Batch& batch, Range ids, float* scores) const {
    Vectors& own = this->own<Vectors>(batch);
    const Rows<const float> target = batch.inputs[0], history = batch.inputs[1];
    const Index n = dim_, first = ids.begin;
    const Index* const sample = own.samples.data();
    float* const all = own.x.reserve(where, "tesserec::layers::attention", ids.size() * 4 * n);
    over_elements(
        where, "tesserec::layers::attention_input", ids.size(), n, KOKKOS_LAMBDA(Index row, Index i) {
          const Index j = first + row;
          const float t = target[sample[j]][i], h = history[j][i];
          float* const x = all + row * 4 * n + i;
          x[0] = t;
          x[n] = h;
          x[2 * n] = t - h;
          x[3 * n] = t * h;
        });
    own.input.data = all;
    own.input.width = own.input.stride = 4 * n;
    mlp_->forward(where, of_vectors(batch, ids), {scores + first, 1, 1});
  }
  /// Writes the gradients of the scores, and the vectors' gradients except for the contribution through the MLP.
  void backward_weights(const Where& where, const Batch& batch, Rows<const float> upstream, Rows<float> to) const {
    Vectors& own = this->own<Vectors>(batch);
    const LayerInput history = batch.inputs[1];
    const Index n = dim_, vectors = history.lengths.vectors;
    const Index* const sample = own.samples.data();
    const float* const weights = own.weights.data();
    float* const slopes = own.slopes.reserve(where, "tesserec::layers::attention", vectors);
    over_rows(
        where, "tesserec::layers::attention_back", vectors, KOKKOS_LAMBDA(Index j, const RowThreads& threads) {
          const float *const dy = upstream[sample[j]], weight = weights[j];
          const float slope = inner_product(threads, n, dy, history[j]);
          if (threads.first()) slopes[j] = slope;
          float* const row = to[j];
          if (to.data != nullptr) threads.each(n, [=](Index i) { row[i] = weight * dy[i]; });
        });
    const float scale = scale_;
    if (scale == 0) return;
    over_numbers(
        where, "tesserec::layers::softmax_back", batch.rows, KOKKOS_LAMBDA(Index r) {
          const Range own_vectors = history.lengths.of(r);
          const float* const p = weights + own_vectors.begin;
          float *const d = slopes + own_vectors.begin, mean = 0.0f;
          for (Index i = 0; i < own_vectors.size(); ++i) mean = std::fma(p[i], d[i], mean);
          for (Index i = 0; i < own_vectors.size(); ++i) d[i] = scale * p[i] * (d[i] - mean);
        });
  }
  /// Adds the gradients of the MLP's inputs for vectors `ids` to the gradients of the target and of the vectors.
  void backward_input(const Where& where, const Batch& batch, Range ids,
                      std::span<const Rows<float>> input_gradients) const {
    const LayerInput target = batch.inputs[0], history = batch.inputs[1];
    const Rows<float> to_target = input_gradients[0], to_history = input_gradients[1];
    const Index n = dim_;
    const float* const all = own<Vectors>(batch).dx.data();
    over_rows(
        where, "tesserec::layers::attention_input_back", batch.rows, KOKKOS_LAMBDA(Index r, const RowThreads& threads) {
          const Range own_vectors = history.lengths.of(r);
          const Index begin = own_vectors.begin < ids.begin ? ids.begin : own_vectors.begin;
          const Index end = own_vectors.end < ids.end ? own_vectors.end : ids.end;
          const float *const t = target[r], *const from = all + (begin - ids.begin) * 4 * n;
          const bool needs_target = to_target.data != nullptr;
          float* const dt = to_target[r];
          threads.sums(
              n, end - begin, [=](Index i) { return needs_target ? dt[i] : 0.0f; },
              [=](Index k, Index i, float sum) {
                const float* const dx = from + k * 4 * n + i;
                const float h = history[begin + k][i];
                if (to_history.data != nullptr) to_history[begin + k][i] += dx[n] - dx[2 * n] + dx[3 * n] * t[i];
                return sum + (dx[0] + dx[2 * n] + dx[3 * n] * h);
              },
              [=](Index i, float sum) {
                if (needs_target) dt[i] = sum;
              });
        });
  }

 private:
  struct Vectors : Workspace {
    std::unique_ptr<Workspace> mlp;
    LoopBuffer<Index> samples;          // [vectors] each vector's sample
    LoopBuffer<float> x, dx;            // [a block's vectors, 4 dim]
    LoopBuffer<float> weights, slopes;  // [vectors] a, and the gradient of the scores
    LoopBuffer<float> recomputed;       // [vectors] scores of recomputed blocks
    VectorBlocks blocks;
    LayerInput input;  // view of x
  };

  /// Calls body(range of vectors) for each block that the MLP reads at once. A device has one block, possibly empty.
  template <class Body>
  static void over_blocks(const Where& where, Index vectors, const Body& body) {
    if (!where.is_thread()) return body(Range{0, vectors});
    for (Index at = 0; at < vectors; at += chunk_samples) body(Range{at, std::min(vectors, at + chunk_samples)});
  }
  Batch of_vectors(const Batch& batch, Range ids) const {
    Vectors& own = this->own<Vectors>(batch);
    Batch block = batch;
    block.rows = ids.size();
    block.inputs = {&own.input, 1};
    block.workspace = own.mlp.get();
    return block;
  }

  std::unique_ptr<Layer> mlp_;
  Index dim_;
  float scale_;  // factor on scores in the softmax; 0 = no softmax
  double length_;
};

}  // namespace

std::unique_ptr<Layer> make_attention(const LayerSettings& settings, const InputShapes& inputs) {
  if (inputs.size() != 2 || inputs[0].sequence || !inputs[1].sequence)
    fail("an attention takes two inputs, the target and a sequence, as in [\"pooled.ITEM\", \"unpooled.HISTORY\"]");
  const Index dim = inputs[1].width();
  if (inputs[0].width() != dim)
    fail("the target of an attention must be as wide as the sequence's vectors, but ", inputs[0].name(), " has ",
         counted(inputs[0].width(), "number"), " and ", inputs[1].name(), " has ", dim);
  LayerSettings mlp = settings;
  if (mlp.activations.empty()) mlp.activations = {Activation::sigmoid};
  if (mlp.activations.size() == 1) mlp.activations.resize(settings.widths.size(), mlp.activations[0]);
  if (mlp.activations.size() != settings.widths.size())
    fail("activations has ", mlp.activations.size(), " entries for ", settings.widths.size(),
         " linear layers; give one for each of widths, or one for all");
  mlp.widths.push_back(1);
  mlp.activations.push_back(Activation::none);
  return std::make_unique<Attention>(make_mlp(mlp, {{{4 * dim}}}), dim, settings.softmax, inputs[1].length);
}

}  // namespace tesserec::layers
