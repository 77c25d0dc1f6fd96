// SPDX-License-Identifier: Apache-2.0
/// Values in the host's or the device's memory, where the kernels that use them run. In a host build both are the same
/// memory, but the host still accesses a device's values only by copies.
#pragma once

#include <algorithm>
#include <cassert>
#include <vector>

#include <tesserec/core/device_loops.hpp>
#include <tesserec/core/kernels.hpp>

namespace tesserec {

/// Memory in which values lie.
enum class Place { host, device };

/// True where this build links cuBLASLt, or, over the emulated device, its stand-in (tests/cublaslt).
#if defined(KOKKOS_ENABLE_CUDA) || defined(TESSEREC_CUBLASLT)
inline constexpr bool has_cublaslt = true;
#else
inline constexpr bool has_cublaslt = false;
#endif

/// Returns `kernels`, with `automatic` resolved for this build.
inline Kernels chosen(Kernels kernels) {
  if (kernels != Kernels::automatic) return kernels;
#ifdef TESSEREC_EMULATED
  return Kernels::portable;
#else
  return has_cublaslt ? Kernels::cublaslt : Kernels::simd;
#endif
}
/// Returns the memory that these kernels use.
inline Place place_of(Kernels kernels) { return chosen(kernels) == Kernels::simd ? Place::host : Place::device; }

/// Waits until all work that was launched on `exec` and on its device is done.
inline void wait(const Exec& exec) {
  exec.fence();
  if constexpr (!device_is_host) device_of(exec).fence();
}

/// Copies n values. Work launched before may still write `from`, on `exec` in host memory or on its device in device
/// memory. Blocks until the values are visible. From device to device it does not block; later launches on the device
/// see them.
template <class T>
void copy(const Exec& exec, Place from_place, const T* from, Place to_place, T* to, Index n) {
  const Device device = device_of(exec);
  if (from_place == Place::host && to_place == Place::host) {
    exec.fence();
    std::copy_n(from, n, to);
  } else if (to_place == Place::host) {
    copy_to_host(device, from, to, n);
    device.fence();
  } else if (from_place == Place::host) {
    exec.fence();
    copy_to_device(device, from, to, n);
    device.fence();
  } else {
    copy_on_device(device, from, to, n);
  }
}

/// Vector in host or device memory. Copies of the object share the values.
template <class T>
class PlacedVector {
 public:
  PlacedVector() = default;
  explicit PlacedVector(Place place) : place_(place) {}
  /// Shares a vector in host memory.
  PlacedVector(Vector<T> numbers) : place_(Place::host), host_(std::move(numbers)) {}
  /// Allocates `size` values, uninitialized. Host memory asks for huge pages as make_vector() does.
  PlacedVector(const Exec& exec, Place place, const std::string& label, Index size) : place_(place) {
    if (place == Place::host)
      host_ = make_vector<T>(exec, label, size);
    else
      device_ = make_device_vector<T>(device_of(exec), label, size);
  }
  /// Grows the vector if it has fewer than `size` values, losing its content, and returns its data. Never shrinks it.
  T* reserve(const Exec& exec, const std::string& label, Index size) {
    if (place_ == Place::device) return reserve_device(device_of(exec), device_, label, size);
    tesserec::reserve(exec, host_, label, size);
    return host_.data();
  }

  Place place() const { return place_; }
  /// Returns the address of the values, in the memory of place().
  T* data() const { return place_ == Place::host ? host_.data() : device_.data(); }
  std::size_t size() const { return place_ == Place::host ? host_.extent(0) : device_.extent(0); }
  /// Returns the vector if place() is the host.
  const Vector<T>& host() const {
    assert(place_ == Place::host);
    return host_;
  }

  /// Returns a copy of the values in host memory. Blocks.
  std::vector<T> to_host(const Exec& exec) const {
    std::vector<T> numbers(size());
    copy(exec, place_, std::as_const(*this).data(), Place::host, numbers.data(), std::ssize(numbers));
    return numbers;
  }
  /// Copies as many values as size() from host memory. Blocks.
  void from_host(const Exec& exec, const std::vector<T>& numbers) const {
    assert(numbers.size() == size());
    copy(exec, Place::host, numbers.data(), place_, data(), std::ssize(numbers));
  }
  /// Launches a fill of all values with `value`. Does not block.
  void fill(const Exec& exec, const char* label, T value) const {
    if (place_ == Place::device) return fill_on(device_of(exec), label, data(), std::ssize(device_), value);
    constexpr Index per_task = 1 << 16;
    const auto size = std::ssize(host_);
    parallel_for(exec, label, (size + per_task - 1) / per_task, [=, to = data()](Index task) noexcept {
      std::fill_n(to + task * per_task, std::min(per_task, size - task * per_task), value);
    });
  }

 private:
  Place place_ = Place::host;
  Vector<T> host_;
  DeviceVector<T> device_;
};

/// Matrix [rows, columns], row-major, in host or device memory.
template <class T>
class PlacedMatrix : public PlacedVector<T> {
 public:
  PlacedMatrix() = default;
  PlacedMatrix(const Exec& exec, Place place, const std::string& label, Index rows, Index columns)
      : PlacedVector<T>(exec, place, label, rows * columns), rows_(rows), columns_(columns) {}
  Index rows() const { return rows_; }
  Index columns() const { return columns_; }
  /// Returns a view of the matrix if place() is the host.
  MatrixView<T> host() const {
    assert(this->place() == Place::host);
    return view_of(this->data(), rows_, columns_);
  }

 private:
  Index rows_ = 0, columns_ = 0;
};

}  // namespace tesserec
