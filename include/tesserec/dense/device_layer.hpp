// SPDX-License-Identifier: Apache-2.0
/// A layer that takes a rank's whole batch at once, in device memory. Every pointer to numbers is to device memory;
/// every call queues its kernels on `device` and returns.
#pragma once

#include <span>

#include <tesserec/dense/layer.hpp>

namespace tesserec::dense {

/// Rows of a batch by chunk: a lane adds the chunks' finished sums one after the other.
struct Pieces {
  Index count = 0;  ///< of all lanes, or more than that
  Index lanes = 0;
  const Index* rows = nullptr;     ///< [of_lane[lanes] + 1] the first row of a piece, and the end
  const Index* of_lane = nullptr;  ///< [lanes + 1] the first piece of a lane, and the end
  /// [lanes + 1] the first row of a lane, and the end, in the host's memory.
  const Index* lane_rows = nullptr;
};

/// Gradients of the parameters, floats, lanes `stride` apart. Gaps between the tensors are left alone.
struct LaneGradients {
  float* data = nullptr;
  Index stride = 0;
  LaneGradients from(Index offset) const { return {data + offset, stride}; }
};

class DeviceLayer {
 public:
  virtual ~DeviceLayer() = default;

  /// Returns whether it launches other kernels for another Draw.
  virtual bool draws() const { return false; }

  struct Batch {
    Index rows = 0;
    Pieces chunks = {};
    std::span<const Rows<const float>> inputs = {};
    std::span<const Index* const> host_offsets = {};  ///< of the inputs: a sequence's, in the host's memory
    const float* parameters = nullptr;                ///< the layer's
    Layer::Draw draw = {};                            ///< of the first row
  };
  /// Keeps what backward wants. The stride of `out` is its width.
  virtual void forward(const Device& device, const Batch& batch, Rows<float> out) = 0;
  /// After forward of the same batch, whose output is `out`. Overwrites the inputs' gradients that are wanted (those of
  /// sequences are) and the parameters' gradient of every lane; of one without samples it is 0.
  virtual void backward(const Device& device, const Batch& batch, Rows<const float> out, Rows<const float> upstream,
                        std::span<const Rows<float>> input_gradients, LaneGradients gradient) = 0;
};

}  // namespace tesserec::dense
