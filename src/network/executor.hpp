// SPDX-License-Identifier: Apache-2.0
/// A batch's way through a network's layers and its loss, forward and back, wherever its loops run: a chunk on a
/// thread, or a rank's whole batch on a device.
#pragma once

#include "graph.hpp"
#include <tesserec/dense/loss_types.hpp>
#include <tesserec/dense/products.hpp>

namespace tesserec::network {

/// Vectors of a sequence as a batch has them: rows of all its samples, with the offsets where loops run.
struct SequenceData {
  dense::Rows<const float> values;
  dense::Rows<float> gradient = {};
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
  dense::Layer::Draw draw = {};       ///< of the rank's first sample
};

class Executor {
 public:
  /// `graph` and `loss` outlive it.
  Executor(const Graph& graph, const dense::LossFunction& loss, std::unique_ptr<dense::Products> products);

  /// Begins a batch: samples [first, first + rows) of `data`, both of which outlive it. Runs all layers forward.
  void forward(const Where& where, const BatchData& data, Index first, Index rows, const dense::Pieces& chunks);
  /// Writes probabilities [rows].
  void predict(const Where& where, float* probabilities) const;
  /// Writes each sample's loss, [rows], and the last layer's gradient.
  void evaluate(const Where& where, double* losses);
  /// Runs all layers back, after evaluate. `gradient` is that of the flat parameters.
  void backward(const Where& where, dense::LaneGradients gradient);

  /// Input `n` of the last layer.
  const dense::LayerInput& last_input(std::size_t n) const { return layers_.back().inputs[n]; }

 private:
  /// A layer's numbers of a batch.
  struct Activations {
    std::unique_ptr<dense::Layer::Workspace> workspace;
    LoopBuffer<float> output, gradient;  // [vectors, width]
    dense::Lengths lengths;              // of an output that is a sequence
    std::vector<dense::LayerInput> inputs;
    std::vector<dense::Rows<float>> input_gradients;
  };

  Index width(std::size_t n) const { return graph_.nodes()[n].layer->width(); }
  dense::Rows<float> rows_of(std::size_t n, const LoopBuffer<float>& numbers) const {
    return {numbers.data(), width(n), width(n)};
  }
  /// Returns the rows of an input or output: samples, or a sequence's vectors.
  Index count(const dense::Lengths& lengths) const { return lengths.offsets != nullptr ? lengths.vectors : rows_; }
  dense::Layer::Batch batch(std::size_t n) const;
  dense::LossFunction::Batch loss_batch() const;
  dense::LayerInput value_of(const Graph::Input& input) const;
  /// Returns where the gradient of an input comes to in the end.
  dense::Rows<float> gradient_of(const Graph::Input& input) const;
  void backward(const Where& where, std::size_t n, dense::LaneGradients gradient);

  const Graph& graph_;
  const dense::LossFunction& loss_;
  std::unique_ptr<dense::Products> products_;
  std::unique_ptr<dense::LossFunction::Workspace> loss_workspace_;
  std::vector<Activations> layers_;
  LoopBuffer<float> added_;  // gradients of inputs that another reader has written, of one layer
  // The batch.
  const BatchData* data_ = nullptr;
  Index first_ = 0, rows_ = 0;
  dense::Pieces chunks_;
};

}  // namespace tesserec::network
