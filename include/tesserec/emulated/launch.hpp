// SPDX-License-Identifier: Apache-2.0
/// Launches of kernels, and the functions that their threads call. Threads of a block run in a drawn order, and switch
/// at barriers.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include <tesserec/emulated/device.hpp>
#include <tesserec/emulated/memory.hpp>

namespace tesserec::emulated {

inline constexpr int warp_size = 32;
inline constexpr int max_threads = 1024;               ///< largest number of threads in a block
inline constexpr std::size_t max_scratch = 48 * 1024;  ///< bytes of a block that need no opt-in

/// A place in the source of a kernel, taken as a default argument: `Site site = Site::here()`.
struct Site {
  const char* file;
  int line;
  static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) { return {file, line}; }
  bool operator==(const Site& other) const { return line == other.line && same(file, other.file); }

 private:
  static constexpr bool same(const char* a, const char* b) {
    while (*a != '\0' && *a == *b) {
      ++a;
      ++b;
    }
    return *a == *b;
  }
};

/// Returns the index of the running thread in its block.
int thread_in_block();
/// Waits for all threads of the block, as __syncthreads.
void sync_block(Site site);
/// Waits for the lanes of `mask` in the calling thread's warp, as __syncwarp.
void sync_warp(unsigned mask, Site site);
/// Returns the value that lane (own lane ^ other) passes, as __shfl_xor_sync. All lanes of `mask` must call it.
std::uint64_t shuffle_xor(unsigned mask, std::uint64_t number, int other, Site site);
template <class T>
T shuffle_xor(unsigned mask, T number, int other, Site site) {
  static_assert(sizeof(T) <= sizeof(std::uint64_t));
  std::uint64_t word = 0;
  std::memcpy(&word, &number, sizeof number);
  word = shuffle_xor(mask, word, other, site);
  std::memcpy(&number, &word, sizeof number);
  return number;
}

/// A thread's view of its team, with the names of Kokkos' team member.
class Team {
 public:
  Team(std::int64_t league_rank, int team_rank, std::byte* scratch, std::size_t bytes)
      : league_rank_(league_rank), team_rank_(team_rank), scratch_(scratch), bytes_(bytes) {}
  int league_rank() const { return int(league_rank_); }
  int team_rank() const { return team_rank_; }
  void team_barrier(Site site = Site::here()) const { sync_block(site); }
  const Team& team_shmem() const { return *this; }
  /// Returns the next `bytes` of the block's scratch memory, aligned to `border` bytes. Every thread must ask for the
  /// same.
  void* get_shmem_aligned(std::ptrdiff_t bytes, std::ptrdiff_t border) const;

 private:
  std::int64_t league_rank_;
  int team_rank_;
  std::byte* scratch_;
  std::size_t bytes_;
  mutable std::size_t taken_ = 0;
};

/// A launch, without the type of its body.
struct Kernel {
  std::string label;
  std::int64_t blocks = 0;
  int threads = 0;          ///< number of threads in a block
  std::size_t scratch = 0;  ///< bytes of scratch memory of a block
  std::shared_ptr<const void> body = {};
  std::size_t body_bytes = 0;
  void (*call)(const void* body, std::int64_t block, int thread, std::byte* scratch) = nullptr;
};
/// Queues a kernel. Reports launches that a GPU would refuse.
void launch(const Device& device, Kernel kernel);
/// Returns a block size for kernels that name none, drawn from the seed.
int any_block_size();

/// Queues body(i) for i in [0, n), each by its own thread, in blocks of any size.
template <class Body>
void launch_numbers(const Device& device, const std::string& label, std::int64_t n, const Body& body) {
  struct Numbers {
    Body body;
    std::int64_t n;
    int threads;
  };
  const int threads = any_block_size();
  Kernel kernel{.label = label, .blocks = (n + threads - 1) / threads, .threads = threads};
  kernel.body = std::make_shared<const Numbers>(Numbers{body, n, threads});
  kernel.body_bytes = sizeof(Numbers);
  kernel.call = [](const void* stored, std::int64_t block, int thread, std::byte*) {
    const Numbers& numbers = *static_cast<const Numbers*>(stored);
    if (const std::int64_t i = block * numbers.threads + thread; i < numbers.n) numbers.body(i);
  };
  launch(device, std::move(kernel));
}

/// Queues body(team) for `league` teams of `members` threads that share `scratch` bytes.
template <class Body>
void launch_teams(const Device& device, const std::string& label, std::int64_t league, int members, std::size_t scratch,
                  const Body& body) {
  struct Teams {
    Body body;
    std::size_t scratch;
  };
  Kernel kernel{.label = label, .blocks = league, .threads = members, .scratch = scratch};
  kernel.body = std::make_shared<const Teams>(Teams{body, scratch});
  kernel.body_bytes = sizeof(Teams);
  kernel.call = [](const void* stored, std::int64_t block, int thread, std::byte* shared) {
    const Teams& teams = *static_cast<const Teams*>(stored);
    teams.body(Team(block, thread, shared, teams.scratch));
  };
  launch(device, std::move(kernel));
}

/// Queues body(i, sum, last) for i in [0, n) as Kokkos::parallel_scan calls it on a GPU. The first pass sums runs of
/// values. The second, with `last` true, begins with the sum before each run. `T` is the type of the sum.
template <class T, class Body>
void launch_scan(const Device& device, const std::string& label, std::int64_t n, const Body& body) {
  constexpr std::int64_t run = 64;
  const std::int64_t runs = (n + run - 1) / run;
  const Array<T, Kind::device> sums(label + " [device]", std::size_t(runs));
  const auto count = [=, to = sums.data()](std::int64_t r) {
    T sum{};
    for (std::int64_t i = r * run; i < n && i < (r + 1) * run; ++i) body(i, sum, false);
    to[r] = sum;
  };
  const auto finish = [=, before = sums.data(), keep = sums](std::int64_t r) {
    T sum{};
    for (std::int64_t k = 0; k < r; ++k) sum += before[k];
    for (std::int64_t i = r * run; i < n && i < (r + 1) * run; ++i) body(i, sum, true);
  };
  launch_numbers(device, label, runs, count);
  launch_numbers(device, label, runs, finish);
}

}  // namespace tesserec::emulated
