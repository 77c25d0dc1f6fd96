// SPDX-License-Identifier: Apache-2.0
/// One lane through bottom MLP, interaction, top MLP and loss, forward and backward, chunk by chunk.
#pragma once

#include <vector>

#include <tesserec/comm/node.hpp>
#include <tesserec/comm/node_memory.hpp>
#include <tesserec/core/index.hpp>
#include <tesserec/dense.hpp>

namespace tesserec::model {

/// The parts of the dense half; the same for all workers.
class Chain {
 public:
  Chain(dense::Mlp bottom, const dense::FeatureInteraction& interaction, dense::Mlp top,
        const dense::LossSettings& loss, Index parameters)
      : bottom(std::move(bottom)), interaction(interaction), top(std::move(top)), loss(loss), parameters_(parameters) {}

  dense::Mlp bottom;
  dense::FeatureInteraction interaction;
  dense::Mlp top;
  dense::LossSettings loss;
  dense::PackedWeights bottom_weights, top_weights;

  /// The ranks of `node`, where they can, have one copy of the packed weights and pack it together.
  void share_weights(const comm::Node& node);
  void pack(const Exec& exec, const float* parameters, bool backward);

 private:
  Index parameters_;
  const comm::Node* node_ = nullptr;  // with whom; null: alone
  comm::NodeMemory memory_;           // of the packed weights
};

/// One rank's numbers of a batch, and what becomes of them. Null where a pass does not need it.
struct ChainData {
  Index global_size = 0;
  const float* dense = nullptr;
  const float* pooled = nullptr;
  const float* labels = nullptr;
  float* pooled_gradient = nullptr;
  float* probabilities = nullptr;
};

/// The activations of one thread, used again chunk after chunk and step after step.
class ChainWorker {
 public:
  ChainWorker(const Exec& exec, const Chain& chain);

  /// Both return the sum of the losses of samples [begin, end) of the rank, one lane, in order.
  /// `gradient` receives the lane's gradient of the flat parameters, but for the gaps between the tensors.
  double forward_backward(const ChainData& data, Range samples, float* gradient);
  /// Writes the probabilities; 0 without labels.
  double predict(const ChainData& data, Range samples);

 private:
  /// Logits of the chunk of `rows` samples from sample `first` on.
  const float* forward(const ChainData& data, Index first, Index rows);

  const Chain& chain_;
  dense::MlpWorkspace bottom_, top_;
  Vector<float> crossed_;  // the interaction's output
  Vector<float> scratch_;  // of the interaction
};

}  // namespace tesserec::model
