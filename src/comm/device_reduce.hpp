// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/comm/transport.hpp>
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>

namespace tesserec::comm {

/// Form of TreeReduce for vectors on devices. Every rank adds one share of all ranks' sums, and the shares are
/// gathered. With N ranks, N a power of two, 2 * length * (N-1)/N floats leave each rank.
class DeviceReduce {
 public:
  DeviceReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length);

  /// Adds the lanes of a micro-batch over all ranks, as TreeReduce does. Collective.
  PlacedVector<float> operator()(const LaneSums& sums, int micro_batch);

  /// Address of a sum, and the tree's height at which the next sum is added to it. Public because nvcc requires it of a
  /// kernel's operands.
  struct Source {
    const float* at;
    Index height;
  };

 private:
  Range share_of(int rank) const;
  void add(const LaneSums& sums, float* to);
  void gather();

  Exec exec_;
  const Communicator& comm_;
  int micro_batches_;
  Index length_;
  Range lanes_;                             // lanes of a micro-batch
  std::vector<std::vector<Index>> leaves_;  // [rank]: a lane below each of its sums
  DeviceList<Source> sources_;
  PlacedVector<float> received_;  // sums of other ranks [sum, share]
  PlacedVector<float> total_;     // [length]
  LaneSums of_micro_batches_;     // this rank's share of each micro-batch's sum
};

/// Returns a lane below each sum that is left when a rank has added these lanes.
std::vector<Index> leaves_of(Range lanes);

}  // namespace tesserec::comm
