// SPDX-License-Identifier: Apache-2.0
/// Lanes of a rank in device memory: their chunks, losses and gradients.
#pragma once

#include <vector>

#include <tesserec/core/device_list.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/network/lane_losses.hpp>

namespace tesserec::network {

/// Addition of one lane to another, both counted from the rank's first.
struct LanePair {
  Index into, from;
};

class DeviceLanes {
 public:
  /// Begins a batch and returns the rank's first sample in the global batch.
  Index start(const Device& device, const Lanes& lanes, Range my_lanes, Index global_size);
  Index rows() const { return rows_; }
  const Pieces& chunks() const { return chunks_; }

  /// Returns the buffer of the samples' losses [rows], which the caller fills.
  double* losses(const Device& device);
  /// Queues the sums of each lane's losses in order.
  void sum_losses(const Device& device);
  /// Queues the copy of the lanes' losses to the host. The result waits for the copy and divides by `global_size`.
  LaneLosses lane_losses(const Device& device, Index global_size);

  /// Returns the buffer of the lanes' gradients, `size` floats per lane. The caller fills all but the gaps, which are
  /// 0.
  LaneGradients gradients(const Device& device, Index size);
  /// Adds the lanes' gradients by the fixed tree and writes the sums of whole subtrees to `sums`. Blocks only if `sums`
  /// lies on the host.
  void add(const Device& device, LaneSums& sums);

 private:
  Range lanes_;  // lanes of the rank
  Index rows_ = 0;
  Pieces chunks_;
  DeviceList<Index> first_rows_, first_chunks_;  // [chunks + 1] rows, [lanes + 1] chunks
  std::vector<Index> lane_rows_;
  DeviceVector<double> losses_, lane_losses_;
  PinnedVector<double> host_losses_;  // lane_losses_ on the host
  DeviceMark losses_copied_;
  DeviceVector<float> gradients_;  // [lanes, size_]
  Index size_ = 0;
  DeviceList<LanePair> pairs_;  // additions of the tree
};

}  // namespace tesserec::network
