// SPDX-License-Identifier: Apache-2.0
/// Portable kernels, which run on the host, on the GPU that Kokkos was built for, or on the emulated device. A kernel
/// is a struct with
///   TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const
/// It holds its operands by value, so that one source serves every space.
#pragma once

#include <algorithm>
#include <bit>
#include <string>
#include <type_traits>

#include <tesserec/core/device_graph.hpp>
#include <tesserec/core/kernel.hpp>
#include <tesserec/core/kokkos.hpp>

// Kokkos before 3.6 lacks these.
#ifndef KOKKOS_IF_ON_HOST
#define TESSEREC_STRIP(...) __VA_ARGS__
#ifdef __CUDA_ARCH__
#define KOKKOS_IF_ON_DEVICE(code) \
  { TESSEREC_STRIP code }
#define KOKKOS_IF_ON_HOST(code)
#else
#define KOKKOS_IF_ON_DEVICE(code)
#define KOKKOS_IF_ON_HOST(code) \
  { TESSEREC_STRIP code }
#endif
#endif

namespace tesserec {

inline constexpr bool device_is_host = std::is_same_v<Device, Exec>;

/// Returns the instance on which kernels of `exec` run: `exec` itself, or the default instance of the device.
template <class Host>
Device device_of([[maybe_unused]] const Host& exec) {
  static_assert(std::is_same_v<Host, Exec>);
  if constexpr (std::is_same_v<Host, Device>)
    return exec;
  else
    return {};
}

#ifdef TESSEREC_EMULATED
using Site = emulated::Site;
#else
/// A place in a kernel's source, which only the emulated device reports.
struct Site {
  TESSEREC_FUNCTION static constexpr Site here() { return {}; }
};
#endif

/// Appends " [device]" to a label, so that profiling tools tell a device's memory and kernels from the host's.
inline std::string on_device(const std::string& label) { return label + " [device]"; }

/// Threads that share one item: `width` adjacent lanes of a warp, a power of two. On a host the group has one thread.
struct LaneGroup {
  static constexpr int max_width = 32;
  int lane = 0, width = 1;

  /// Returns the value that lane (lane ^ other) passes. All lanes of the group must call it.
  template <class T>
  TESSEREC_FUNCTION T of_lane(T number, [[maybe_unused]] int other, [[maybe_unused]] Site site = Site::here()) const {
#ifdef TESSEREC_EMULATED
    return emulated::shuffle_xor(mask(), number, other, site);
#else
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(mask(), number, other);))
    KOKKOS_IF_ON_HOST((return number;))
#endif
  }
  /// Synchronizes all lanes of the group. Later reads of each lane see the earlier writes of all.
  TESSEREC_FUNCTION void sync([[maybe_unused]] Site site = Site::here()) const {
#ifdef TESSEREC_EMULATED
    emulated::sync_warp(mask(), site);
#else
    KOKKOS_IF_ON_DEVICE((__syncwarp(mask());))
#endif
  }

 private:
  /// Returns the bits of the group's lanes in the thread's warp.
  TESSEREC_FUNCTION unsigned mask() const {
    [[maybe_unused]] const unsigned lanes = width == max_width ? ~0u : (1u << width) - 1;
#ifdef TESSEREC_EMULATED
    return lanes << (emulated::thread_in_block() % max_width - lane);
#else
    KOKKOS_IF_ON_DEVICE((const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                         return lanes << (thread % max_width - lane);))
    KOKKOS_IF_ON_HOST((return 1u;))
#endif
  }
};

/// Stores the smaller of *at and `value` in *at, atomically.
TESSEREC_FUNCTION void atomic_min(Index* at, Index value) {
#ifdef TESSEREC_EMULATED
  Index current = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value < current &&
         !__atomic_compare_exchange_n(at, &current, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#else
  Kokkos::atomic_fetch_min(at, value);
#endif
}

/// A Kokkos functor over items times lanes: index i is lane i % width of item i / width.
template <class Kernel>
struct GroupBody {
  Kernel kernel;
  int width_bits;
  TESSEREC_FUNCTION void operator()(Index i) const {
    kernel(LaneGroup{int(i & ((Index{1} << width_bits) - 1)), 1 << width_bits}, i >> width_bits);
  }
};

#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
/// Compiles a kernel for a GPU in a build by nvcc over a Kokkos without CUDA. Nothing launches it.
template <class Kernel>
__global__ void compiled(GroupBody<Kernel> body) {
  body(Index(blockIdx.x) * blockDim.x + threadIdx.x);
}
template <class Kernel>
void* const address_of_compiled = reinterpret_cast<void*>(&compiled<Kernel>);
#endif

/// Launch property that passes the functor as a kernel argument. Kokkos would else use constant memory, and wait before
/// each launch, which no graph can record.
using ByValue = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// Launches body(i) for i in [0, n), one thread each. May return before the bodies have run. `Bounds`: Kokkos'
/// LaunchBounds, or nothing.
template <class... Bounds, class Body>
void launch_threads(const Device& device, const std::string& label, Index n, const Body& body) {
#ifdef TESSEREC_EMULATED
  emulated::launch_numbers(device, on_device(label), n, body);
#else
  using Policy = Kokkos::RangePolicy<Device, Kokkos::IndexType<Index>, Bounds..., ByValue>;
  queue([=] { Kokkos::parallel_for(on_device(label), Policy(device, 0, n), body); });
#endif
}

/// Launches `kernel` for items [0, items) on `exec`. The lanes of an item are the next power of two from `columns`, at
/// most 32; on a host one. May return before the kernel has run.
template <class Kernel>
void launch(const Device& exec, const std::string& label, Index items, Index columns, const Kernel& kernel) {
  constexpr Index max_width = device_is_host ? 1 : LaneGroup::max_width;
  const int width_bits = std::bit_width(std::uint64_t(std::clamp<Index>(columns, 1, max_width) - 1));
#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
  (void)address_of_compiled<Kernel>;
#endif
  if (items > 0)
    launch_threads<Kokkos::LaunchBounds<256>>(exec, label, items << width_bits, GroupBody<Kernel>{kernel, width_bits});
}

/// Allocates `size` values in the device's memory, uninitialized.
template <class T>
DeviceVector<T> make_device_vector([[maybe_unused]] const Device& device, const std::string& label, Index size) {
#ifdef TESSEREC_EMULATED
  return DeviceVector<T>(on_device(label), size);
#else
  return DeviceVector<T>(Kokkos::view_alloc(device, Kokkos::WithoutInitializing, on_device(label)), size);
#endif
}

/// Returns the capacity to allocate for `size` values that may grow later.
inline Index grown_capacity(Index size) {
#ifdef TESSEREC_EMULATED
  return size;  // an access past the end must be a fault
#else
  return size + size / 8;
#endif
}

/// Grows a buffer of fewer than `size` values, losing its content, and returns its data. Blocks until kernels that may
/// use the old storage are done. The host must access the buffer by copies only, even in a host build.
template <class T>
T* reserve_device(const Device& exec, DeviceVector<T>& view, const std::string& label, Index size) {
  if (Index(view.extent(0)) < size) {
    if (view.extent(0) > 0) exec.fence();  // kernels may use the old storage
    view = make_device_vector<T>(exec, label, grown_capacity(size));
    DeviceGraph::storage_moved();
  }
  return view.data();
}

#ifdef TESSEREC_EMULATED
template <class T>
void copy_to_device(const Device& device, const T* from, T* to, Index n) {
  emulated::copy(device, from, to, n * sizeof(T));
}
template <class T>
void copy_to_host(const Device& device, const T* from, T* to, Index n) {
  emulated::copy(device, from, to, n * sizeof(T));
}
template <class T>
void copy_on_device(const Device& device, const T* from, T* to, Index n) {
  emulated::copy(device, from, to, n * sizeof(T));
}
#else
template <class T, class Space>
using Unmanaged = Kokkos::View<T*, Kokkos::LayoutRight, Space, Kokkos::MemoryUnmanaged>;

/// Queues a copy of n values from the host to `device`. The source must not change until the copy has run.
template <class T>
void copy_to_device(const Device& device, const T* from, T* to, Index n) {
  using To = Unmanaged<T, Device::memory_space>;
  if (n > 0) Kokkos::deep_copy(device, To(to, n), Unmanaged<const T, Kokkos::HostSpace>(from, n));
}
/// Queues a copy of n values from the device to the host. The host may read them only after the copy has run.
template <class T>
void copy_to_host(const Device& device, const T* from, T* to, Index n) {
  using From = Unmanaged<const T, Device::memory_space>;
  if (n > 0) Kokkos::deep_copy(device, Unmanaged<T, Kokkos::HostSpace>(to, n), From(from, n));
}
/// Queues a copy of n values within the device's memory.
template <class T>
void copy_on_device(const Device& device, const T* from, T* to, Index n) {
  using From = Unmanaged<const T, Device::memory_space>;
  using To = Unmanaged<T, Device::memory_space>;
  if (n > 0) queue([=] { Kokkos::deep_copy(device, To(to, n), From(from, n)); });
}
#endif

}  // namespace tesserec
