// SPDX-License-Identifier: Apache-2.0
/// Where portable kernels run: the host, or the GPU that Kokkos was built for. A kernel is a struct with
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

using DeviceMemory = Device::memory_space;
inline constexpr bool device_is_host = std::is_same_v<Device, Exec>;

/// Where kernels go that belong to `exec`: it, or the default instance of the GPU's space.
#ifdef KOKKOS_ENABLE_CUDA
inline Device device_of(const Exec&) { return {}; }
#else
inline Device device_of(const Exec& exec) { return exec; }
#endif

/// What a tool sees of memory and kernels of the device, where it cannot tell them from the host's by their space.
inline std::string on_device(const std::string& label) { return label + " [device]"; }

/// The threads that share an item: `width` neighbouring lanes of a warp, a power of two; on a host one.
struct LaneGroup {
  static constexpr int most = 32;
  int lane = 0, width = 1;

  /// The number that lane (lane ^ other) gives; all lanes of the group must ask.
  TESSEREC_FUNCTION float of_lane(float number, [[maybe_unused]] int other) const {
    KOKKOS_IF_ON_DEVICE((return __shfl_xor_sync(mask(), number, other);))
    KOKKOS_IF_ON_HOST((return number;))
  }
  /// All lanes have read what one of them is about to write.
  TESSEREC_FUNCTION void meet() const { KOKKOS_IF_ON_DEVICE((__syncwarp(mask());)) }

 private:
  TESSEREC_FUNCTION unsigned mask() const {
    KOKKOS_IF_ON_DEVICE((const unsigned lanes = width == most ? ~0u : (1u << width) - 1;
                         const unsigned thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
                         return lanes << (thread % most - lane);))
    KOKKOS_IF_ON_HOST((return 1u;))
  }
};

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

/// Of a launch: its kernel travels with it. Else a large one would wait in constant memory for the one before, which no
/// graph can record.
using ByValue = Kokkos::Experimental::WorkItemProperty::HintLightWeight_t;

/// Launches `kernel` for items [0, items) on `exec`, each by so many lanes as cover `columns`, and waits for nothing.
template <class Kernel>
void launch(const Device& exec, const std::string& label, Index items, Index columns, const Kernel& kernel) {
  constexpr Index most = device_is_host ? 1 : LaneGroup::most;
  const int width_bits = std::bit_width(std::uint64_t(std::clamp<Index>(columns, 1, most) - 1));
  using Policy = Kokkos::RangePolicy<Device, Kokkos::IndexType<Index>, Kokkos::LaunchBounds<256>, ByValue>;
#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
  (void)address_of_compiled<Kernel>;
#endif
  if (items > 0)
    queue([=] {
      Kokkos::parallel_for(on_device(label), Policy(exec, 0, items << width_bits),
                           GroupBody<Kernel>{kernel, width_bits});
    });
}

/// Storage of kernels, reused: grown when it is too small, its content lost. The host never reads or writes it, in a
/// host build neither: numbers come and go by copies.
template <class T>
T* reserve_device(const Device& exec, DeviceVector<T>& view, const std::string& label, Index size) {
  if (Index(view.extent(0)) < size) {
    view = DeviceVector<T>(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, on_device(label)), size + size / 8);
    DeviceGraph::storage_moved();
  }
  return view.data();
}

/// Queued on `device`: n numbers of the host, which stay as they are until it is done.
template <class T>
void copy_to_device(const Device& device, const T* from, T* to, Index n) {
  using From = Kokkos::View<const T*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using To = Kokkos::View<T*, Kokkos::LayoutRight, DeviceMemory, Kokkos::MemoryUnmanaged>;
  if (n > 0) Kokkos::deep_copy(device, To(to, n), From(from, n));
}
/// Queued on `device`; there when it is done.
template <class T>
void copy_to_host(const Device& device, const T* from, T* to, Index n) {
  using From = Kokkos::View<const T*, Kokkos::LayoutRight, DeviceMemory, Kokkos::MemoryUnmanaged>;
  using To = Kokkos::View<T*, Kokkos::LayoutRight, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  if (n > 0) Kokkos::deep_copy(device, To(to, n), From(from, n));
}

/// Queued on `device`; from one place there to another.
template <class T>
void copy_on_device(const Device& device, const T* from, T* to, Index n) {
  using From = Kokkos::View<const T*, Kokkos::LayoutRight, DeviceMemory, Kokkos::MemoryUnmanaged>;
  using To = Kokkos::View<T*, Kokkos::LayoutRight, DeviceMemory, Kokkos::MemoryUnmanaged>;
  if (n > 0) queue([=] { Kokkos::deep_copy(device, To(to, n), From(from, n)); });
}

}  // namespace tesserec
