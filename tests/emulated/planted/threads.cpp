// SPDX-License-Identifier: Apache-2.0
// Planted faults of the threads of a block.

#include "planted.hpp"

namespace planted {
namespace {

struct Reverse {
  bool synchronizes;
  int* to;
  void operator()(const Team& team) const {
    auto* const shared = static_cast<int*>(team.get_shmem_aligned(n * sizeof(int), 16));
    shared[team.team_rank()] = team.team_rank();
    if (synchronizes) team.team_barrier();
    to[team.team_rank()] = shared[n - 1 - team.team_rank()];
  }
};
void team_barrier() {
  const Device device;
  const Numbers to("planted::reversed", n);
  launch_teams(device, "planted::reverse", 1, n, n * sizeof(int) + 16, Reverse{right, to.data()});
  device.fence();
}

struct WriteOnePlace {
  int* to;
  bool own;
  void operator()(std::int64_t i) const { to[own ? i : i / 2] = 1; }
};
void one_place() {
  const Device device;
  const Numbers to("planted::place", n);
  launch_numbers(device, "planted::one_place", n, WriteOnePlace{to.data(), right});
  device.fence();
}

struct Neighbour {
  bool synchronizes;
  int* to;
  void operator()(std::int64_t i) const {
    to[i] = int(i);
    if (synchronizes) sync_warp(~0u, Site::here());
    const int other = to[i ^ 1];
    if (synchronizes) sync_warp(~0u, Site::here());
    to[i] = other;
  }
};
void warp_synchronisation() {
  const Device device;
  const Numbers to("planted::neighbours", warp_size);
  launch_numbers(device, "planted::neighbour", warp_size, Neighbour{right, to.data()});
  device.fence();
}

struct Shuffle {
  unsigned mask;
  int other;
  void operator()(const Team& team) const {
    if (team.team_rank() < 8) shuffle_xor(mask, team.team_rank(), other, Site::here());
  }
};
void shuffle_outside() {
  const Device device;
  launch_teams(device, "planted::shuffle", 1, warp_size, 0, Shuffle{0xffu, right ? 4 : 8});
  device.fence();
}
void lane_absent() {
  const Device device;
  launch_teams(device, "planted::shuffle", 1, warp_size, 0, Shuffle{right ? 0xffu : 0xffffu, 4});
  device.fence();
}

struct Barriers {
  bool same;
  void operator()(const Team& team) const {
    if (team.team_rank() % 2 == 0 || same)
      team.team_barrier();
    else
      team.team_barrier();
  }
};
void different_barriers() {
  const Device device;
  launch_teams(device, "planted::barriers", 1, n, 0, Barriers{right});
  device.fence();
}
struct EarlyEnd {
  bool stays;
  void operator()(const Team& team) const {
    if (team.team_rank() > 0 || stays) team.team_barrier();
  }
};
void barrier_without_all() {
  const Device device;
  launch_teams(device, "planted::early_end", 1, n, 0, EarlyEnd{right});
  device.fence();
}

void too_many_threads() {
  const Device device;
  launch_teams(device, "planted::barriers", 1, right ? 1024 : 1056, 0, Barriers{true});
  device.fence();
}
void too_much_scratch() {
  const Device device;
  launch_teams(device, "planted::barriers", 1, n, right ? 49152 : 49153, Barriers{true});
  device.fence();
}

}  // namespace

std::vector<Fault> of_threads() {
  return {
      {"team_barrier", "threads", "data race.*planted::reverse", team_barrier},
      {"one_place", "threads", "data race.*planted::one_place", one_place},
      {"warp_synchronisation", "threads", "data race.*planted::neighbour", warp_synchronisation},
      {"shuffle_outside", "plain", "shuffles with lane [0-9]+, outside the mask 0x000000ff", shuffle_outside},
      {"lane_absent", "plain", "waits for lane|waits for the lanes 0x0000ffff", lane_absent},
      {"different_barriers", "plain", "threads wait at different barriers: .*threads.cpp:", different_barriers},
      {"barrier_without_all", "plain", "threads wait at different barriers: .* has ended", barrier_without_all},
      {"too_many_threads", "plain", "kernel planted::barriers requests 1056 threads", too_many_threads},
      {"too_much_scratch", "plain", "kernel planted::barriers requests 49153 bytes of scratch memory",
       too_much_scratch},
  };
}

}  // namespace planted
