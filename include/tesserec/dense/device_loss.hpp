// SPDX-License-Identifier: Apache-2.0
/// A loss of a rank's whole batch, in device memory.
#pragma once

#include <tesserec/dense/device_layer.hpp>

namespace tesserec::dense {

/// Calls queue their kernels on `device` and return.
class DeviceLoss {
 public:
  virtual ~DeviceLoss() = default;

  struct Batch {
    Index rows = 0;
    Index samples = 0;  ///< of the global batch
    Pieces chunks = {};
    Rows<const float> out = {};  ///< [rows, width] of the last layer
    const float* labels = nullptr;
    const float* weights = nullptr;  ///< of the samples; null: all weigh 1
  };
  /// losses [rows]: each sample's, times its weight; and d(their sum / samples)/d(out).
  virtual void evaluate(const Device& device, const Batch& batch, double* losses, Rows<float> gradient) = 0;
  /// Writes what predict says of each row: probabilities [rows].
  virtual void predict(const Device& device, Index rows, Rows<const float> out, float* probabilities) = 0;
};

}  // namespace tesserec::dense
