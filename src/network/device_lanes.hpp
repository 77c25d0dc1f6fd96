// SPDX-License-Identifier: Apache-2.0
/// A rank's lanes in device memory: its chunks, and what a lane sums up.
#pragma once

#include <vector>

#include <tesserec/core/device_list.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>
#include <tesserec/core/rows.hpp>
#include <tesserec/core/upload.hpp>
#include <tesserec/network/lane_losses.hpp>

namespace tesserec::network {

/// An addition: lanes, from 0.
struct LanePair {
  Index into, from;
};

class DeviceLanes {
 public:
  /// A batch begins; the result is the rank's first sample in the global batch.
  Index start(const Device& device, const Lanes& lanes, Range my_lanes, Index global_size);
  Index rows() const { return rows_; }
  const Pieces& chunks() const { return chunks_; }

  /// [rows], to be written.
  double* losses(const Device& device);
  /// Adds each lane's in order.
  void sum_losses(const Device& device);
  /// Returns the losses of each lane, divided by the global batch, on their way.
  LaneLosses lane_losses(const Device& device, Index global_size);

  /// A run of `size` floats a lane, to be written but for the gaps, which are 0.
  LaneGradients gradients(const Device& device, Index size);
  /// Adds them by the fixed tree and leaves the sums of whole subtrees in `sums`. Waits where these are the host's.
  void add(const Device& device, LaneSums& sums);

 private:
  Range lanes_;  // the rank's
  Index rows_ = 0;
  Pieces chunks_;
  DeviceList<Index> first_rows_, first_chunks_;  // of chunks, of lanes; and the ends
  std::vector<Index> lane_rows_;
  DeviceVector<double> losses_, lane_losses_;
  PinnedVector<double> came_;  // lane_losses_
  DeviceMark came_all_;
  DeviceVector<float> gradients_;  // [lanes, size_]
  Index size_ = 0;
  DeviceList<LanePair> pairs_;  // the tree's additions
};

}  // namespace tesserec::network
