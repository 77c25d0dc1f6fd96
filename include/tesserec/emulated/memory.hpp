// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <utility>

namespace tesserec::emulated {

/// Kind of memory. Device memory: an access by the host ends the process. Pinned memory: the host's, which kernels may
/// access.
enum class Kind { device, pinned };

/// Allocates `bytes`, filled with 0xff, before a page that nobody may access; null for 0 bytes. Freed addresses are not
/// used again.
std::shared_ptr<void> allocate(Kind kind, const std::string& label, std::size_t bytes);

/// A shared array of `size` values, in place of a Kokkos view of rank 1. As with views, a move may throw, so that a
/// growing std::vector copies objects that hold an array.
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
