// SPDX-License-Identifier: Apache-2.0
/// One lane through a network and its loss, forward and backward, chunk by chunk.
#pragma once

#include "packed_weights.hpp"
#include <tesserec/dense/loss_types.hpp>

namespace tesserec::model {

/// One rank's numbers of a batch, and what becomes of them. Null where a pass does not need it.
struct RankData {
  Index global_size = 0;
  const float* dense = nullptr;
  const float* pooled = nullptr;
  const float* labels = nullptr;
  const float* weights = nullptr;
  float* pooled_gradient = nullptr;
  float* probabilities = nullptr;
  dense::Layer::Draw draw = {};  ///< of the rank's first sample
  std::span<const jagged::JaggedVectors> unpooled = {}, unpooled_gradient = {};
  float* towers = nullptr;  ///< the last layer's two inputs, side by side
};

/// The activations of one thread, used again chunk after chunk and step after step.
class Worker {
 public:
  /// All of them outlive it.
  Worker(const Exec& exec, const Graph& graph, const PackedWeights& weights, const dense::LossFunction& loss);
  Worker(Worker&&) = default;  // and no copy: a vector that grows moves them, also where moving a view may throw

  /// Both return the sum of the losses of samples [begin, end) of the rank, one lane, in order.
  /// `gradient` receives the lane's gradient of the flat parameters, but for the gaps between the tensors.
  double forward_backward(const float* parameters, const RankData& data, Range samples, float* gradient);
  /// Writes the probabilities; 0 without labels.
  double predict(const float* parameters, const RankData& data, Range samples);

 private:
  /// Memory of a layer about a chunk.
  struct Activations {
    std::unique_ptr<dense::Layer::Workspace> workspace;
    Vector<float> output, gradient;  // [chunk, width]
    std::vector<dense::Rows<const float>> inputs;
    std::vector<dense::Rows<float>> input_gradients;
  };

  /// Computes what the last layer gives for the chunk of `rows` samples from sample `first` on, as the loss takes it.
  dense::LossFunction::Chunk forward(const float* parameters, const RankData& data, Index first, Index rows);
  dense::Rows<float> last_gradient();
  void backward(const float* parameters, const RankData& data, Index first, Index rows, bool add, float* gradient);
  void write_probabilities(const dense::LossFunction::Chunk& chunk, float* to) const;
  dense::Layer::Chunk chunk(std::size_t n, const float* parameters, const RankData& data, Index first,
                            Index rows) const;
  /// The numbers of an input from sample `first` on.
  dense::Rows<const float> rows_of(const Graph::Input& input, const RankData& data, Index first) const;
  /// Returns where the gradient of an input comes to in the end.
  dense::Rows<float> place(const Graph::Input& input, const RankData& data, Index first) const;

  const Graph& graph_;
  const PackedWeights& weights_;
  const dense::LossFunction& loss_;
  std::vector<Activations> layers_;
  Vector<float> loss_scratch_;
  Vector<float> added_;  // gradients of inputs that another reader has written, of one layer
};

}  // namespace tesserec::model
