// SPDX-License-Identifier: Apache-2.0
/// A rank's batch in device memory: what of it the host holds goes there, and what is asked for comes back.
#pragma once

#include <vector>

#include "graph.hpp"
#include <tesserec/core/upload.hpp>
#include <tesserec/network/network.hpp>

namespace tesserec::network {

class DeviceBatch {
 public:
  explicit DeviceBatch(const Graph& graph) : graph_(graph) {}

  /// `input`, all that is read of it in device memory.
  const DenseInput& send(const Device& device, const DenseInput& input, Index rows);
  /// Returns the offsets of a sequence, in the host's memory.
  const Index* host_offsets(std::size_t sequence) const { return sequences_[sequence].host_offsets; }
  /// Returns where the flat parameters are to be read.
  const float* parameters(const Device& device, const PlacedVector<float>& flat);
  /// Returns where gradients of the batch's vectors are to be written.
  float* pooled_gradient(const Device& device, float* wanted);
  std::vector<jagged::JaggedVectors> unpooled_gradient(const Device& device,
                                                       const std::vector<jagged::JaggedVectors>& wanted);
  /// [rows, width] that come back by fetch.
  float* result(const Device& device, float* wanted, Index width);
  /// Queues the copies of what was written for the host.
  void fetch(const Device& device);

 private:
  struct Sequence {
    Upload<float> values;
    Upload<Index> offsets;
    const Index* host_offsets = nullptr;  // the given ones
    DeviceVector<float> gradient;
  };
  struct Return {
    const float* from;
    float* to;
    Index size;
  };
  const float* send(const Device& device, Upload<float>& to, const float* from, Index size);
  float* returned(const Device& device, DeviceVector<float>& by, float* to, Index size);

  const Graph& graph_;
  DenseInput there_;
  Index rows_ = 0;
  Upload<float> dense_, pooled_, labels_, weights_, parameters_;
  std::vector<Sequence> sequences_;
  DeviceVector<float> pooled_gradient_, probabilities_, towers_;
  std::vector<Return> returns_;
};

}  // namespace tesserec::network
