// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <span>
#include <utility>
#include <vector>

#include <tesserec/core/device.hpp>

namespace tesserec {

/// Device copies of the last 8 distinct lists that kernels read, for short lists that seldom change.
template <class T>
class DeviceList {
 public:
  /// Returns the device's copy of `list`, or null if it is empty. Queues a copy only if none of the kept lists is
  /// equal. A ninth list replaces the oldest: the call then waits for `device`.
  const T* upload(const Device& device, std::span<const T> list) {
    if (list.empty()) return nullptr;
    const auto same = [&](const Sent& one) {
      return one.numbers.size() == list.size() && std::memcmp(list.data(), one.numbers.data(), list.size_bytes()) == 0;
    };
    const auto known = std::find_if(sent_.begin(), sent_.end(), same);
    if (known != sent_.end()) return known->there.data();
    if (sent_.size() == most) {
      device.fence();
      sent_.pop_front();
    }
    Sent& one = sent_.emplace_back();
    one.numbers.assign(list.begin(), list.end());
    reserve_device(device, one.there, "tesserec::core::list", std::ssize(list));
    copy_to_device(device, std::as_const(one.numbers).data(), one.there.data(), std::ssize(list));
    return one.there.data();
  }

 private:
  struct Sent {
    std::vector<T> numbers;
    DeviceVector<T> there;
  };
  static constexpr std::size_t most = 8;
  std::deque<Sent> sent_;  // oldest first; entries do not move, because copies that have not run read them
};

}  // namespace tesserec
