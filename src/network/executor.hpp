// SPDX-License-Identifier: Apache-2.0
/// Forward and backward passes of a batch through a network's layers and its loss. The batch is a chunk on a host
/// thread, or a rank's whole batch on a device.
#pragma once

#include <cstdint>

#include "graph.hpp"
#include <tesserec/losses/loss_types.hpp>
#include <tesserec/products/products.hpp>

namespace tesserec::network {

/// Vectors of a sequence for all samples of a batch. `offsets` lie in memory where loops run, `on_host` on the host.
struct SequenceData {
  Rows<const float> values;
  Rows<float> gradient = {};
  const Index* offsets = nullptr;
  const Index* on_host = nullptr;
};

/// Batch of a rank, in memory where loops run. Members that a pass does not need are null.
struct BatchData {
  Index global_size = 0;
  const float* dense = nullptr;
  const float* pooled = nullptr;
  const float* labels = nullptr;
  const float* weights = nullptr;
  Index tasks = 1;  ///< labels of a sample T
  const float* task_scales = nullptr;
  float* pooled_gradient = nullptr;
  std::span<const SequenceData> sequences = {};
  const float* parameters = nullptr;  ///< flat vector
  const float* packed = nullptr;      ///< packed weights, on a host only
  layers::Layer::Draw draw = {};      ///< draw of the rank's first sample
  /// Layers of which all samples have the same inputs, so that one row is computed and copied; empty = none. For
  /// forward passes of a host thread alone.
  std::span<const std::uint8_t> same = {};
};

class Executor {
 public:
  /// Makes the workspaces of layers and loss. `graph` and `loss` must outlive the executor.
  Executor(const Graph& graph, const losses::LossFunction& loss, std::unique_ptr<products::Products> products);

  /// Begins a batch with samples [first, first + rows) of `data` and runs all layers forward. `data` and `chunks` must
  /// outlive the batch.
  void forward(const Where& where, const BatchData& data, Index first, Index rows, const Pieces& chunks);
  /// Writes the batch's probabilities [rows, T].
  void predict(const Where& where, float* probabilities) const;
  /// Writes each sample's loss [rows], and the gradient of the last layer's output.
  void evaluate(const Where& where, double* losses);
  /// Runs all layers backward, after evaluate(). `gradient` receives the gradient of the flat parameters.
  void backward(const Where& where, LaneGradients gradient);

  /// Returns input `n` of the last layer.
  const layers::LayerInput& last_input(std::size_t n) const { return layers_.back().inputs[n]; }

 private:
  /// Buffers of one layer for a batch.
  struct Activations {
    std::unique_ptr<Workspace> workspace;
    LoopBuffer<float> output, gradient;  // [vectors, width]
    Lengths lengths;                     // lengths of an output that is a sequence
    std::vector<layers::LayerInput> inputs;
    std::vector<Rows<float>> input_gradients;
  };

  Index width(std::size_t n) const { return graph_.nodes()[n].layer->width(); }
  Rows<float> rows_of(std::size_t n, const LoopBuffer<float>& numbers) const {
    return {numbers.data(), width(n), width(n)};
  }
  /// Returns the rows of an input or output: samples, or a sequence's vectors.
  Index count(const Lengths& lengths) const { return lengths.offsets != nullptr ? lengths.vectors : rows_; }
  /// Returns what layer `n` reads and writes for `rows` samples.
  layers::Layer::Batch batch(std::size_t n, Index rows, const Pieces& chunks) const;
  /// Runs a layer forward for one sample, and copies the result to all.
  void forward_once(const Where& where, std::size_t n);
  losses::LossFunction::Batch loss_batch() const;
  layers::LayerInput value_of(const Graph::Input& input) const;
  /// Returns the memory where an input's gradient is accumulated.
  Rows<float> gradient_of(const Graph::Input& input) const;
  void backward(const Where& where, std::size_t n, LaneGradients gradient);

  const Graph& graph_;
  const losses::LossFunction& loss_;
  std::unique_ptr<products::Products> products_;
  std::unique_ptr<Workspace> loss_workspace_;
  std::vector<Activations> layers_;
  LoopBuffer<float> added_;  // one layer's gradients of inputs that another reader has written
  // Current batch.
  const BatchData* data_ = nullptr;
  Index first_ = 0, rows_ = 0;
  Pieces chunks_;
};

}  // namespace tesserec::network
