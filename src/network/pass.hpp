// SPDX-License-Identifier: Apache-2.0
/// The way of a rank's batch through a network and its loss: one virtual call a batch.
#pragma once

#include <memory>

#include "executor.hpp"
#include "packed_weights.hpp"

namespace tesserec::network {

/// A batch's arguments are those of Network.
class Pass {
 public:
  virtual ~Pass() = default;
  virtual LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                                      float* pooled_gradient, LaneSums& gradients,
                                      const std::vector<jagged::JaggedVectors>& unpooled_gradient) = 0;
  virtual std::vector<double> predict(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                                      float* probabilities, float* towers) = 0;
};

/// Chunk by chunk through layers of SIMD kernels, on host threads. Both outlive it.
std::unique_ptr<Pass> chunk_pass(const Graph& graph, PackedWeights& weights, const losses::LossFunction& loss);
/// The whole batch layer by layer in device memory. Both outlive it. Throws SettingError: what has no form for it.
std::unique_ptr<Pass> device_pass(const Graph& graph, const losses::LossFunction& loss, const Settings& settings);

/// Returns a sequence and, unless null, its gradient; `on_host`: its offsets in the host's memory.
SequenceData sequence_data(const jagged::JaggedVectors& vectors, const jagged::JaggedVectors* gradient,
                           const Index* on_host);
/// Floats [end of a tensor, begin of the next one).
void clear_gaps(const Graph& graph, float* flat);

}  // namespace tesserec::network
