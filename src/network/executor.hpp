// SPDX-License-Identifier: Apache-2.0
/// A batch's way through a network's layers and its loss, forward and back, wherever its loops run: a chunk on a
/// thread, or a rank's whole batch on a device.
#pragma once

#include "graph.hpp"
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::network {

/// Vectors of a sequence as a batch has them: rows of all its samples, with the offsets where loops run.
struct SequenceData {
  Rows<const float> values;
  Rows<float> gradient = {};
  const Index* offsets = nullptr;
  const Index* on_host = nullptr;
};

/// A rank's numbers, where loops run. Null where a pass does not need it.
struct BatchData {
  Index global_size = 0;
  const float* dense = nullptr;
  const float* pooled = nullptr;
  const float* labels = nullptr;
  const float* weights = nullptr;
  float* pooled_gradient = nullptr;
  std::span<const SequenceData> sequences = {};
  const float* parameters = nullptr;  ///< flat
  const float* packed = nullptr;      ///< on a host
  layers::Layer::Draw draw = {};      ///< of the rank's first sample
};

class Executor {
 public:
  /// `graph` and `loss` outlive it.
  Executor(const Graph& graph, const losses::LossFunction& loss, std::unique_ptr<products::Products> products);

  /// Begins a batch: samples [first, first + rows) of `data`, both of which outlive it. Runs all layers forward.
  void forward(const Where& where, const BatchData& data, Index first, Index rows, const Pieces& chunks);
  /// Writes probabilities [rows].
  void predict(const Where& where, float* probabilities) const;
  /// Writes each sample's loss, [rows], and the last layer's gradient.
  void evaluate(const Where& where, double* losses);
  /// Runs all layers back, after evaluate. `gradient` is that of the flat parameters.
  void backward(const Where& where, LaneGradients gradient);

  /// Input `n` of the last layer.
  const layers::LayerInput& last_input(std::size_t n) const { return layers_.back().inputs[n]; }

 private:
  /// A layer's numbers of a batch.
  struct Activations {
    std::unique_ptr<Workspace> workspace;
    LoopBuffer<float> output, gradient;  // [vectors, width]
    Lengths lengths;                     // of an output that is a sequence
    std::vector<layers::LayerInput> inputs;
    std::vector<Rows<float>> input_gradients;
  };

  Index width(std::size_t n) const { return graph_.nodes()[n].layer->width(); }
  Rows<float> rows_of(std::size_t n, const LoopBuffer<float>& numbers) const {
    return {numbers.data(), width(n), width(n)};
  }
  /// Returns the rows of an input or output: samples, or a sequence's vectors.
  Index count(const Lengths& lengths) const { return lengths.offsets != nullptr ? lengths.vectors : rows_; }
  layers::Layer::Batch batch(std::size_t n) const;
  losses::LossFunction::Batch loss_batch() const;
  layers::LayerInput value_of(const Graph::Input& input) const;
  /// Returns where the gradient of an input comes to in the end.
  Rows<float> gradient_of(const Graph::Input& input) const;
  void backward(const Where& where, std::size_t n, LaneGradients gradient);

  const Graph& graph_;
  const losses::LossFunction& loss_;
  std::unique_ptr<products::Products> products_;
  std::unique_ptr<Workspace> loss_workspace_;
  std::vector<Activations> layers_;
  LoopBuffer<float> added_;  // gradients of inputs that another reader has written, of one layer
  // The batch.
  const BatchData* data_ = nullptr;
  Index first_ = 0, rows_ = 0;
  Pieces chunks_;
};

}  // namespace tesserec::network
