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
    const auto same = [&](const Sent& sent) {
      return sent.numbers.size() == list.size() &&
             std::memcmp(list.data(), sent.numbers.data(), list.size_bytes()) == 0;
    };
    const auto known = std::find_if(sent_.begin(), sent_.end(), same);
    if (known != sent_.end()) return known->on_device.data();
    if (sent_.size() == capacity) {
      device.fence();
      sent_.pop_front();
    }
    Sent& sent = sent_.emplace_back();
    sent.numbers.assign(list.begin(), list.end());
    reserve_device(device, sent.on_device, "tesserec::core::list", std::ssize(list));
    copy_to_device(device, std::as_const(sent.numbers).data(), sent.on_device.data(), std::ssize(list));
    return sent.on_device.data();
  }

 private:
  struct Sent {
    std::vector<T> numbers;
    DeviceVector<T> on_device;
  };
  static constexpr std::size_t capacity = 8;
  std::deque<Sent> sent_;  // oldest first; entries do not move, because copies that have not run read them
};

}  // namespace tesserec
