// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include <tesserec/comm/transport.hpp>
#include <tesserec/core/device_list.hpp>
#include <tesserec/core/lane_sums.hpp>
#include <tesserec/core/lanes.hpp>

namespace tesserec::comm {

/// Form of TreeReduce where vectors lie on devices: every rank adds one part of all ranks' sums, and the parts are
/// gathered. 2 * length * (N-1)/N floats leave each of N ranks when N is a power of two.
class DeviceReduce {
 public:
  DeviceReduce(const Exec& exec, const Communicator& comm, const Lanes& lanes, Index length);

  /// As TreeReduce's.
  PlacedVector<float> operator()(const LaneSums& sums, int micro_batch);

  /// A sum, and the height at which the next one meets it. Kernels have it, so nvcc wants it public.
  struct Source {
    const float* at;
    Index height;
  };

 private:
  Range part(int rank) const;
  void add(const LaneSums& sums, float* to);
  void gather();

  Exec exec_;
  const Communicator& comm_;
  int micro_batches_;
  Index length_;
  Range lanes_;                             // of a micro-batch
  std::vector<std::vector<Index>> leaves_;  // [rank]: one below each of its sums
  DeviceList<Source> sources_;
  PlacedVector<float> received_;  // [sum, part]
  PlacedVector<float> total_;     // [length]
  LaneSums of_micro_batches_;     // [part]
};

/// A lane below each sum that a rank with these lanes is left with.
std::vector<Index> leaves_of(Range lanes);

}  // namespace tesserec::comm
