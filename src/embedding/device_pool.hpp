// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device_bags.hpp"
#include "sort_keys.hpp"

namespace tesserec::embedding {

/// Id of a bag in block order: the slot of its row, whether it is copied, and the height where the next id's block
/// meets.
struct OrderedId {
  std::uint64_t bits;
  TESSEREC_FUNCTION static OrderedId of(Index slot, bool copied, int height) {
    return {std::uint64_t(slot) << 7 | std::uint64_t(copied) << 6 | std::uint64_t(height)};
  }
  TESSEREC_FUNCTION Index slot() const { return Index(bits >> 7); }
  TESSEREC_FUNCTION bool copied() const { return bits >> 6 & 1; }
  TESSEREC_FUNCTION int height() const { return int(bits & 63); }
};

/// Lookup of all bags of several shards of equal dim in one launch.
class DevicePool {
 public:
  DevicePool(Index dim, NumberType format) : dim_(dim), format_(format) {}

  /// Writes the sums of all bags to sums[DeviceBag::sums + columns].
  void lookup(const Device& exec, const DeviceBags& bags, float* sums);

 private:
  void order(const Device& exec, const DeviceBags& bags);
  template <bool whole>
  void pool(const Device& exec, const BagArrays& bags, float* sums);

  Index dim_;
  NumberType format_;
  DeviceVector<std::uint16_t> blocks_;  // row block of each id
  DeviceVector<OrderedId> ordered_;
  DeviceVector<float> ordered_weights_;
  struct {
    DeviceVector<std::uint64_t> keys, sorted;
    DeviceVector<std::uint32_t> places;
    KeySort sort;
  } long_;  // scratch for batches with a long bag
};

}  // namespace tesserec::embedding
