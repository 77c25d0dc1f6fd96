// SPDX-License-Identifier: Apache-2.0
// Copies of a test's lists in device memory.
#pragma once

#include <functional>
#include <vector>

#include <tesserec/core/device.hpp>

class DeviceCopies {
 public:
  DeviceCopies() = default;
  DeviceCopies(const DeviceCopies&) = delete;
  /// Waits for kernels that use the copies.
  ~DeviceCopies() { device.fence(); }
  /// Returns the device pointer to a copy of the list.
  template <class T>
  const T* operator()(const std::vector<T>& list) {
    return copy(list).data();
  }
  /// Returns the same for a list that fetch() fills again from the device.
  template <class T>
  T* operator()(std::vector<T>& list) {
    const tesserec::DeviceVector<T> there = copy(list);
    fetches_.push_back([this, there, &list] {
      tesserec::copy_to_host(device, there.data(), list.data(), std::ssize(list));
      device.fence();
    });
    return there.data();
  }
  void fetch() const {
    for (const auto& fetch : fetches_) fetch();
  }

  const tesserec::Device device{};

 private:
  template <class T>
  tesserec::DeviceVector<T> copy(const std::vector<T>& list) {
    tesserec::DeviceVector<T> there;
    tesserec::reserve_device(device, there, "tesserec::test::list", std::ssize(list));
    tesserec::copy_to_device(device, list.data(), there.data(), std::ssize(list));
    device.fence();
    keep_.push_back([there] {});
    return there;
  }
  std::vector<std::function<void()>> fetches_, keep_;
};
