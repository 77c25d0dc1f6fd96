// SPDX-License-Identifier: Apache-2.0
/// Passes of a rank's batch through a network and its loss, one virtual call per batch.
#pragma once

#include <memory>

#include "executor.hpp"
#include "packed_weights.hpp"

namespace tesserec::network {

/// Pass over a rank's batch, with the arguments of Network's functions.
class Pass {
 public:
  virtual ~Pass() = default;
  virtual LaneLosses forward_backward(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                                      float* pooled_gradient, LaneSums& gradients,
                                      const std::vector<jagged::JaggedVectors>& unpooled_gradient) = 0;
  virtual std::vector<double> predict(const Exec& exec, const PlacedVector<float>& parameters, const DenseInput& input,
                                      float* probabilities, float* towers) = 0;
};

/// Makes the pass of a host, which runs chunks through SIMD kernels on host threads. All arguments must outlive it.
std::unique_ptr<Pass> chunk_pass(const Graph& graph, PackedWeights& weights, const losses::LossFunction& loss,
                                 Index tasks);
/// Makes the pass of a device, which runs the whole batch layer by layer in device memory. `graph` and `loss` must
/// outlive it. Throws SettingError if a setting, a layer or the loss has no kernels for a device.
std::unique_ptr<Pass> device_pass(const Graph& graph, const losses::LossFunction& loss, const Settings& settings);

/// Makes the predictor of a thread. `weights` are packed; all arguments must outlive it.
std::unique_ptr<Predictor> chunk_predictor(const Graph& graph, const PackedWeights& weights, const float* parameters,
                                           const losses::LossFunction& loss);
/// Describes a batch in memory where loops run, and in `sequences` its sequences with their gradients, unless these are
/// empty. `on_host` is the batch as the caller gave it, whose offsets lie in host memory. `sequences` must outlive the
/// result.
BatchData batch_data(const DenseInput& input, const DenseInput& on_host,
                     const std::vector<jagged::JaggedVectors>& unpooled_gradient, std::vector<SequenceData>& sequences);
/// Sets the floats between one tensor and the next to 0.
void clear_gaps(const Graph& graph, float* flat);

}  // namespace tesserec::network
