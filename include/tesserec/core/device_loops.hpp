// SPDX-License-Identifier: Apache-2.0
/// Loops on a device, one source for every space. A body is a KOKKOS_LAMBDA or a functor that captures its operands by
/// value. On a host the bodies are inlined into TESSEREC_LOOPS, for vector instructions and fma. A launch may return
/// before its bodies have run.
#pragma once

#include <string>

#include <tesserec/core/device.hpp>

namespace tesserec {

template <class Body>
TESSEREC_LOOPS static void run_numbers(Index begin, Index end, const Body& given) {
  const Body body = given;
  for (Index i = begin; i < end; ++i) body(i);
}
template <class Body, class Team>
TESSEREC_LOOPS static void run_team(const Team& team, const Body& body) {
  body(team);
}

/// Functor that Kokkos launches: an index is one value on a device, and a block of values on a host.
template <class Body>
struct OverNumbers {
  static constexpr Index block = device_is_host ? 4096 : 1;
  Index n;
  Body body;
  KOKKOS_INLINE_FUNCTION void operator()(Index i) const {
    if constexpr (device_is_host)
      run_numbers(i * block, i * block + block < n ? i * block + block : n, body);
    else
      body(i);
  }
};
template <class Body>
struct OverTeams {
  Body body;
  template <class Team>
  KOKKOS_INLINE_FUNCTION void operator()(const Team& team) const {
    if constexpr (device_is_host)
      run_team(team, body);
    else
      body(team);
  }
};

#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
template <class Body>
__global__ void compiled_numbers(OverNumbers<Body> body) {
  body.body(Index(blockIdx.x) * blockDim.x + threadIdx.x);
}
template <class Body>
void* const address_of_compiled_numbers = reinterpret_cast<void*>(&compiled_numbers<Body>);
#endif

/// Launches body(i) for i in [0, n). On a GPU each i has a thread.
template <class Body>
void over_numbers(const Device& device, const char* label, Index n, const Body& body) {
  const Index block = OverNumbers<Body>::block;
#if defined(__CUDACC__) && !defined(KOKKOS_ENABLE_CUDA)
  if constexpr (std::is_aggregate_v<Body>) (void)address_of_compiled_numbers<Body>;  // lambdas need a CUDA build
#endif
  launch_threads(device, label, (n + block - 1) / block, OverNumbers<Body>{n, body});
}

/// Functor that sets to[i] = value.
template <class T>
struct FillNumbers {
  T* to;
  T value;
  TESSEREC_FUNCTION void operator()(Index i) const { to[i] = value; }
};
/// Launches a fill of to[0, n) with `value`.
template <class T>
void fill_on(const Device& device, const char* label, T* to, Index n, T value) {
  over_numbers(device, label, n, FillNumbers<T>{to, value});
}

/// Launches body(i, sum, last) for i in [0, n): a running sum, as Kokkos::parallel_scan calls it. `last` is true in the
/// final pass, which may write results.
template <class Body>
void scan_numbers(const Device& device, const std::string& label, Index n, const Body& body) {
  if (n == 0) return;
#ifdef TESSEREC_EMULATED
  emulated::launch_scan<Index>(device, on_device(label), n, body);
#else
  using Policy = Kokkos::RangePolicy<Device, Kokkos::IndexType<Index>, ByValue>;
  queue([=] { Kokkos::parallel_scan(on_device(label), Policy(device, 0, n), body); });
#endif
}

/// Launches body(team) for `league` teams of `members` threads that share `scratch` bytes. `blocks`: the least number
/// of resident blocks that registers must allow (Kokkos' LaunchBounds).
template <int members, int blocks, class Body>
void over_teams(const Device& device, const char* label, Index league, std::size_t scratch, const Body& body) {
  if (league == 0) return;
#ifdef TESSEREC_EMULATED
  emulated::launch_teams(device, on_device(label), league, members, scratch + 16, OverTeams<Body>{body});
#else
  using Policy = Kokkos::TeamPolicy<Device, Kokkos::LaunchBounds<members, blocks>, ByValue>;
  queue([=] {
    Kokkos::parallel_for(on_device(label),
                         Policy(device, int(league), members).set_scratch_size(0, Kokkos::PerTeam(int(scratch) + 16)),
                         OverTeams<Body>{body});
  });
#endif
}
/// Returns `floats` floats of the team's scratch memory, aligned to 16 bytes. Every thread of the team must call it.
template <class Team>
TESSEREC_FUNCTION float* scratch_of(const Team& team, Index floats) {
  return static_cast<float*>(team.team_shmem().get_shmem_aligned(floats * Index(sizeof(float)), 16));
}

}  // namespace tesserec
