// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace tesserec::emulated {

/// Memory of the device: the host is stopped when it touches it. Pinned memory: the host's, which kernels may touch.
enum class Kind { device, pinned };

/// Allocates `bytes` between pages that nobody may touch, filled with 0xff; null for 0. Freed memory is not used again.
std::shared_ptr<void> allocate(Kind kind, const std::string& label, std::size_t bytes);

/// A shared array of `size` numbers: what a Kokkos view of rank 1 is to its users here. As with views, a move may
/// throw, so that a std::vector of what holds one copies it when it grows.
template <class T, Kind kind>
class Array {
 public:
  Array() = default;
  Array(const Array&) = default;
  Array(Array&& other) noexcept(false) : data_(std::move(other.data_)), size_(other.size_) {}
  Array& operator=(const Array&) = default;
  Array& operator=(Array&&) = default;
  Array(const std::string& label, std::size_t size) : data_(allocate(kind, label, size * sizeof(T))), size_(size) {}
  T* data() const { return static_cast<T*>(data_.get()); }
  std::size_t size() const { return size_; }
  std::size_t extent(int) const { return size_; }

 private:
  std::shared_ptr<void> data_;
  std::size_t size_ = 0;
};

}  // namespace tesserec::emulated
