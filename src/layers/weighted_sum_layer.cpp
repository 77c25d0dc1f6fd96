// SPDX-License-Identifier: Apache-2.0
// Weighted sum of a sequence's vectors: y = sum_j w_j h_j. The learned weights belong to positions, as in TorchRec's
// PositionWeightedModule, or to ids in a table of one column, as in the reference DLRM's learned pooling.
#include <algorithm>

#include "layer_formulas.hpp"
#include "makers.hpp"
#include "sequences.hpp"
#include <tesserec/core/error.hpp>
#include <tesserec/core/text.hpp>

namespace tesserec::layers {
namespace {

class WeightedSum final : public Layer {
 public:
  WeightedSum(Index dim, Index positions, double length) : dim_(dim), positions_(positions), length_(length) {
    if (positions > 0) add_parameter("weight", positions, 1, Start::one);
  }

  Index width() const override { return dim_; }
  std::string describe() const override {
    return concat("of vectors of ", dim_, positions_ > 0 ? concat(", ", positions_, " positions") : ", a weight an id");
  }
  Flops flops() const override {
    const double product_flops = 2.0 * length_ * double(dim_);
    return {product_flops, product_flops, product_flops};
  }
  bool multiplies_matrices() const override { return false; }

  std::unique_ptr<Workspace> make_workspace() const override { return std::make_unique<Weights>(); }

  void forward(const Where& where, const Batch& batch, Rows<float> out) const override {
    weigh(where, batch);
    add_weighted(where, batch.rows, batch.inputs.back(), own<Weights>(batch).weights.data(), out);
  }
  void backward(const Where& where, const Batch& batch, Rows<const float>, Rows<const float> upstream,
                std::span<const Rows<float>> input_gradients, LaneGradients gradient) const override {
    Weights& own = this->own<Weights>(batch);
    const LayerInput vectors = batch.inputs.back();
    const Rows<float> to = input_gradients.back(), to_weights = input_gradients[0];
    const Index dim = dim_, positions = positions_;
    float* const slopes = own.slopes.reserve(where, "tesserec::layers::weights", vectors.lengths.vectors);
    const Index* const sample = own.samples.data();
    const float* const weights = own.weights.data();
    over_rows(
        where, "tesserec::layers::weighted_sum_back", vectors.lengths.vectors,
        KOKKOS_LAMBDA(Index j, const RowThreads& threads) {
          const float *const dy = upstream[sample[j]], weight = weights[j];
          float* const own_row = to[j];
          if (to.data != nullptr) threads.each(dim, [=](Index i) { own_row[i] = weight * dy[i]; });
          const float slope = inner_product(threads, dim, dy, vectors[j]);
          if (!threads.first()) return;
          slopes[j] = slope;
          if (positions == 0 && to_weights.data != nullptr) *to_weights[j] = slope;
        });
    if (positions > 0) add_positions(where, batch, gradient);
  }

  /// Sums the slopes of each position over a lane's vectors, in one chain, into the weights' gradient.
  void add_positions(const Where& where, const Batch& batch, LaneGradients gradient) const {
    const Pieces chunks = batch.chunks;
    const Lengths lengths = batch.inputs[0].lengths;
    const Index positions = positions_;
    const float* const slopes = own<Weights>(batch).slopes.data();
    over_elements(
        where, "tesserec::layers::positions", chunks.lanes, positions, KOKKOS_LAMBDA(Index lane, Index position) {
          float& to = gradient.data[lane * gradient.stride + position];
          const Index begin = chunks.rows[chunks.of_lane[lane]], end = chunks.rows[chunks.of_lane[lane + 1]];
          float sum = gradient.add ? to : 0.0f;
          for (Index r = begin; r < end; ++r) {
            const Range own_vectors = lengths.of(r);
            const Index first = own_vectors.begin + position, after = own_vectors.end;
            const Index last = position + 1 < positions && first + 1 < after ? first + 1 : after;
            for (Index j = first; j < last; ++j) sum += slopes[j];
          }
          to = sum;
        });
  }
  /// Writes each vector's sample and weight.
  void weigh(const Where& where, const Batch& batch) const {
    Weights& own = this->own<Weights>(batch);
    const Rows<const float> of_ids = batch.inputs[0];
    const Lengths lengths = batch.inputs.back().lengths;
    const Index positions = positions_;
    const float* const parameters = batch.parameters;
    const Index* const sample = samples_of(where, batch.rows, lengths, own.samples);
    float* const weights = own.weights.reserve(where, "tesserec::layers::weights", lengths.vectors);
    over_numbers(
        where, "tesserec::layers::weights", lengths.vectors, KOKKOS_LAMBDA(Index j) {
          if (positions == 0) {
            weights[j] = *of_ids[j];
            return;
          }
          const Index position = j - lengths.of(sample[j]).begin;
          weights[j] = parameters[position < positions - 1 ? position : positions - 1];
        });
  }

 private:
  struct Weights : Workspace {
    LoopBuffer<Index> samples;          // [vectors] each vector's sample
    LoopBuffer<float> weights, slopes;  // [vectors] the weights, and their gradients
  };

  Index dim_, positions_;
  double length_;
};

}  // namespace

std::unique_ptr<Layer> make_weighted_sum(const LayerSettings& settings, const InputShapes& inputs) {
  const bool sequences = std::all_of(inputs.begin(), inputs.end(), [](const InputShape& i) { return i.sequence; });
  if (!sequences || inputs.size() != (settings.positions > 0 ? 1 : 2))
    fail("a weighted_sum takes a sequence and positions, or two sequences, the ids' weights and their vectors");
  if (inputs.size() == 2 && (inputs[0].width() != 1 || inputs[0].lengths != inputs[1].lengths))
    fail("the weights of a weighted_sum must be one number per id of the same feature, but ", inputs[0].name(), " has ",
         counted(inputs[0].width(), "number"), ", and the vectors are those of ", inputs[1].name());
  return std::make_unique<WeightedSum>(inputs.back().width(), settings.positions, inputs.back().length);
}

}  // namespace tesserec::layers
