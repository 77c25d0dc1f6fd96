// SPDX-License-Identifier: Apache-2.0
/// The place of portable kernels: the host, the GPU that Kokkos was built for, or the emulated device. A kernel is a
/// struct with
///   TESSEREC_FUNCTION void operator()(const LaneGroup& lanes, Index item) const
/// which has all it needs by value: one text for every space.
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

/// Labels memory and kernels of the device for tools, where a tool cannot tell them from the host's by their space.
inline std::string on_device(const std::string& label) { return label + " [device]"; }

/// The threads that share an item: `width` neighbouring lanes of a warp, a power of two; on a host one.
struct LaneGroup {
  static constexpr int most = 32;
  int lane = 0, width = 1;

  /// Returns the number that lane (lane ^ other) gives. All lanes of the group must call it.
  template <class T>
  TESSEREC_FUNCTION T of_lane(T number, [[maybe_unused]] int other, [[maybe_unused]] Site site = Site::here()) const {
#ifdef TESSEREC_EMULATED
    return emulated::shuffle_xor(mask(), number, other, site);
#else
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(mask(), number, other);))
    KOKKOS_IF_ON_HOST((return number;))
#endif
  }
  /// Waits for all lanes of the group. What they wrote before is what each reads from here on.
  TESSEREC_FUNCTION void meet([[maybe_unused]] Site site = Site::here()) const {
#ifdef TESSEREC_EMULATED
    emulated::meet_warp(mask(), site);
#else
    KOKKOS_IF_ON_DEVICE((__syncwarp(mask());))
#endif
  }

 private:
  /// The group's lanes of the thread's warp.
  TESSEREC_FUNCTION unsigned mask() const {
    [[maybe_unused]] const unsigned lanes = width == most ? ~0u : (1u << width) - 1;
#ifdef TESSEREC_EMULATED
    return lanes << (emulated::thread_in_block() % most - lane);
#else
    KOKKOS_IF_ON_DEVICE((const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                         return lanes << (thread % most - lane);))
    KOKKOS_IF_ON_HOST((return 1u;))
#endif
  }
};

/// Stores the smaller of *at and `value`, in one step among all threads.
TESSEREC_FUNCTION void atomic_min(Index* at, Index value) {
#ifdef TESSEREC_EMULATED
  Index now = __atomic_load_n(at, __ATOMIC_RELAXED);
  while (value < now && !__atomic_compare_exchange_n(at, &now, value, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {
  }
#else
  Kokkos::atomic_fetch_min(at, value);
#endif
}

/// A Kokkos body over items times lanes.
template <class Kernel>
struct GroupBody {
  Kernel kernel;
  int width_bits;
  TESSEREC_FUNCTION void operator()(Index i) const {
    kernel(LaneGroup{int(i & ((Index{1} << width_bits) - 1)), 1 << width_bits}, i >> width_bits);
  }
};

#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
/// nvcc over a Kokkos without CUDA compiles kernels for a look at them, and launches none.
template <class Kernel>
__global__ void compiled(GroupBody<Kernel> body) {
  body(Index(blockIdx.x) * blockDim.x + threadIdx.x);
}
template <class Kernel>
void* const address_of_compiled = reinterpret_cast<void*>(&compiled<Kernel>);
#endif

/// Launch property: the kernel travels with the launch. Constant memory would make it wait, which no graph can record.
using ByValue = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// Launches body(i) for i in [0, n), each by a thread of its own. `Bounds`: Kokkos' LaunchBounds, or nothing.
template <class... Bounds, class Body>
void launch_threads(const Device& device, const std::string& label, Index n, const Body& body) {
#ifdef TESSEREC_EMULATED
  emulated::launch_numbers(device, on_device(label), n, body);
#else
  using Policy = Kokkos::RangePolicy<Device, Kokkos::IndexType<Index>, Bounds..., ByValue>;
  queue([=] { Kokkos::parallel_for(on_device(label), Policy(device, 0, n), body); });
#endif
}

/// Launches `kernel` for items [0, items) on `exec`, each by so many lanes as cover `columns`, and waits for nothing.
template <class Kernel>
void launch(const Device& exec, const std::string& label, Index items, Index columns, const Kernel& kernel) {
  constexpr Index most = device_is_host ? 1 : LaneGroup::most;
  const int width_bits = std::bit_width(std::uint64_t(std::clamp<Index>(columns, 1, most) - 1));
#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
  (void)address_of_compiled<Kernel>;
#endif
  if (items > 0)
    launch_threads<Kokkos::LaunchBounds<256>>(exec, label, items << width_bits, GroupBody<Kernel>{kernel, width_bits});
}

/// Allocates `size` numbers of the device's memory, uninitialised.
template <class T>
DeviceVector<T> make_device_vector([[maybe_unused]] const Device& device, const std::string& label, Index size) {
#ifdef TESSEREC_EMULATED
  return DeviceVector<T>(on_device(label), size);
#else
  return DeviceVector<T>(Kokkos::view_alloc(device, Kokkos::WithoutInitializing, on_device(label)), size);
#endif
}

/// Returns the size of storage that has to hold `size` numbers and may have to grow.
inline Index with_room(Index size) {
#ifdef TESSEREC_EMULATED
  return size;  // one number too many is to be seen
#else
  return size + size / 8;
#endif
}

/// Storage of kernels: grown when it is too small, its content lost. The host, even in a host build, only copies.
template <class T>
T* reserve_device(const Device& exec, DeviceVector<T>& view, const std::string& label, Index size) {
  if (Index(view.extent(0)) < size) {
    if (view.extent(0) > 0) exec.fence();  // for kernels that use the old storage
    view = make_device_vector<T>(exec, label, with_room(size));
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

/// Queues a copy of n numbers of the host on `device`. They must stay as they are until it has run.
template <class T>
void copy_to_device(const Device& device, const T* from, T* to, Index n) {
  using To = Unmanaged<T, Device::memory_space>;
  if (n > 0) Kokkos::deep_copy(device, To(to, n), Unmanaged<const T, Kokkos::HostSpace>(from, n));
}
/// Queues a copy of n numbers of the device to the host, who may read them when it has run.
template <class T>
void copy_to_host(const Device& device, const T* from, T* to, Index n) {
  using From = Unmanaged<const T, Device::memory_space>;
  if (n > 0) Kokkos::deep_copy(device, Unmanaged<T, Kokkos::HostSpace>(to, n), From(from, n));
}
/// Queues a copy of n numbers from one place of the device to another.
template <class T>
void copy_on_device(const Device& device, const T* from, T* to, Index n) {
  using From = Unmanaged<const T, Device::memory_space>;
  using To = Unmanaged<T, Device::memory_space>;
  if (n > 0) queue([=] { Kokkos::deep_copy(device, To(to, n), From(from, n)); });
}
#endif

}  // namespace tesserec
