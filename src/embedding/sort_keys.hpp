// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include <tesserec/core/device.hpp>

namespace tesserec::embedding {

/// Stable sort of keys below 2^bits: sorted[i] = keys[places[i]]. Scratch memory is kept between calls.
class KeySort {
 public:
  void operator()(const Device& exec, const DeviceVector<std::uint64_t>& keys, DeviceVector<std::uint64_t>& sorted,
                  DeviceVector<std::uint32_t>& places, Index count, int bits);

 private:
  DeviceVector<std::uint32_t> scratch_;
  DeviceVector<char> storage_;
};

}  // namespace tesserec::embedding
