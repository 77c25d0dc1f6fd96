// SPDX-License-Identifier: Apache-2.0
/// Uploads from the host to a device, batch after batch, without waiting for the device.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include <tesserec/core/device.hpp>

namespace tesserec {

/// Pinned host memory, which a device reads and writes by itself.
#ifdef TESSEREC_EMULATED
template <class T>
using PinnedVector = emulated::Array<T, emulated::Kind::pinned>;
#elif defined(KOKKOS_ENABLE_CUDA)
template <class T>
using PinnedVector = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::CudaHostPinnedSpace>;
#else
template <class T>
using PinnedVector = Vector<T>;
#endif
/// Returns storage for `size` values in `view`. If `view` must grow, its content is lost, and the call first waits for
/// `exec`, which may have queued copies from or to the old storage.
template <class T>
T* reserve_pinned(const Device& exec, PinnedVector<T>& view, const std::string& label, Index size) {
  if (Index(view.extent(0)) < size) {
    if (view.extent(0) > 0) exec.fence();
#ifdef TESSEREC_EMULATED
    view = PinnedVector<T>(label, grown_capacity(size));
#else
    view = PinnedVector<T>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), grown_capacity(size));
#endif
  }
  return view.data();
}

/// A point in the work that is queued on a device.
class DeviceMark {
 public:
  /// Moves the mark behind all work queued on `device` so far.
  void set(const Device& device);
  /// Waits until the device has reached the mark. Returns at once if the mark was never set.
  void wait() const;

 private:
  friend void send_concurrently(const Device&, const void*, void*, std::size_t, const DeviceMark&, DeviceMark&);
#ifdef TESSEREC_EMULATED
  emulated::Event event_;
#elif defined(KOKKOS_ENABLE_CUDA)
  struct Destroy {
    void operator()(CUevent_st* event) const;
  };
  void set(CUstream_st* stream);
  std::unique_ptr<CUevent_st, Destroy> event_;
#else
  std::optional<Device> device_;
#endif
};

/// Queues a copy from pinned memory that runs concurrently with kernels, after `readers_done` and before later work on
/// `device`. Moves `sent` behind the copy. Does not block.
void send_concurrently(const Device& device, const void* from, void* to, std::size_t bytes,
                       const DeviceMark& readers_done, DeviceMark& sent);

/// Double buffer for values that the host writes while kernels read the last batch's. It grows and never shrinks.
template <class T>
class Upload {
 public:
  Upload() = default;
  Upload(Upload&&) = default;
  Upload& operator=(Upload&&) = default;
  /// Waits until all copies and all kernels that read their values are done.
  ~Upload() {
    if (device_) device_->fence();
  }

  /// Returns host storage for `size` values, to be written before send(). Blocks until the send before last has been
  /// copied.
  T* reserve(const Device& exec, const std::string& label, Index size) {
    Slot& slot = slots_[current_ = 1 - current_];
    slot.sent.wait();
    if (Index(slot.on_device.extent(0)) < size) {
      reserve_device(exec, slot.on_device, label, size);
      slot.readers_done.set(exec);
    }
    return reserve_pinned(exec, slot.numbers, label, size);
  }
  /// Queues the copy of `size` values. Returns their address for kernels launched on `exec` from now until the next
  /// send().
  const T* send(const Device& exec, Index size) {
    Slot& slot = slots_[current_];
    device_ = exec;
    copy(exec, slot, size);
    slots_[1 - current_].readers_done.set(exec);
    return slot.on_device.data();
  }
  const DeviceVector<T>& view() const { return slots_[current_].on_device; }

 private:
  struct Slot {
    PinnedVector<T> numbers;
    DeviceVector<T> on_device;
    DeviceMark sent;          // point after the copy of `numbers`
    DeviceMark readers_done;  // point after the last kernel that reads `on_device`
  };
  void copy(const Device& exec, Slot& slot, Index size) {
    constexpr Index min_bytes = 1 << 16;  // bytes: 1 to 3 us of a bus, which is what handing over costs
    if constexpr (!device_is_host)
      if (size * Index(sizeof(T)) >= min_bytes)
        return send_concurrently(exec, slot.numbers.data(), slot.on_device.data(), size * sizeof(T), slot.readers_done,
                                 slot.sent);
    copy_to_device(exec, std::as_const(slot.numbers).data(), slot.on_device.data(), size);
    slot.sent.set(exec);
  }

  Slot slots_[2];
  int current_ = 0;
  std::optional<Device> device_;
};

}  // namespace tesserec
