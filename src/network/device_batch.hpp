// SPDX-License-Identifier: Apache-2.0
/// Batch of a rank in device memory, with uploads of inputs on the host and copies of results back to the host.
#pragma once

#include <vector>

#include "graph.hpp"
#include <tesserec/core/upload.hpp>
#include <tesserec/network/network.hpp>

namespace tesserec::network {

class DeviceBatch {
 public:
  /// Takes the number of labels of a sample, `tasks` T.
  DeviceBatch(const Graph& graph, Index tasks) : graph_(graph), tasks_(tasks) {}

  /// Uploads the inputs that lie on the host and returns `input` with pointers to device memory. `rows`: samples.
  const DenseInput& send(const Device& device, const DenseInput& input, Index rows);
  /// Returns the flat parameters in device memory, uploaded if they lie on the host.
  const float* parameters(const Device& device, const PlacedVector<float>& flat);
  /// Returns the device memory for the gradients of the batch's vectors: `destination` itself or, if the batch lies on
  /// the host, a buffer that fetch() copies to `destination`.
  float* pooled_gradient(const Device& device, float* destination);
  std::vector<jagged::JaggedVectors> unpooled_gradient(const Device& device,
                                                       const std::vector<jagged::JaggedVectors>& destination);
  /// Returns a device buffer for the probabilities [rows, T], or for towers [rows, width], that fetch() copies to
  /// `host`.
  float* probabilities(const Device& device, float* host);
  float* towers(const Device& device, float* host, Index width);
  /// Queues the copies of all results to the host.
  void fetch(const Device& device);

 private:
  struct Sequence {
    Upload<float> values;
    Upload<Index> offsets;
    DeviceVector<float> gradient;
  };
  struct Download {
    const float* from;
    float* to;
    Index size;
  };
  const float* send(const Device& device, Upload<float>& to, const float* from, Index size);
  float* add_download(const Device& device, DeviceVector<float>& buffer, float* host, Index size);

  const Graph& graph_;
  Index tasks_;
  DenseInput on_device_;
  Index rows_ = 0;
  Upload<float> dense_, pooled_, labels_, weights_, task_scales_, parameters_;
  std::vector<Sequence> sequences_;
  DeviceVector<float> pooled_gradient_, probabilities_, towers_;
  std::vector<Download> downloads_;
};

}  // namespace tesserec::network
