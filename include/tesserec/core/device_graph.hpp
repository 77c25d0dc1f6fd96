// SPDX-License-Identifier: Apache-2.0
/// Launches that recur batch after batch, launched as one CUDA graph. A build for CPUs keeps a list of closures, which
/// hold the same as a graph: kernels, and the operands that were captured by value.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec {

/// Recorded launches, which can be launched again as one.
class DeviceGraph {
 public:
  /// Records the launches that `launches` makes on `device`, without running them. Throws Error if CUDA fails.
  DeviceGraph(const Device& device, const std::function<void()>& launches);
  /// Queues the recorded launches on `device`. Throws Error if CUDA fails.
  void launch(const Device& device) const;

  /// Announces that storage has moved whose address recorded kernels may hold. RepeatedLaunches then drops its graphs.
  static void storage_moved() { ++moves_; }
  /// Returns the number of calls of storage_moved().
  static std::uint64_t moves() { return moves_; }

 private:
  inline static std::uint64_t moves_ = 0;

#ifdef TESSEREC_EMULATED
  emulated::Graph graph_;
#elif defined(KOKKOS_ENABLE_CUDA)
  struct Destroy {
    void operator()(CUgraphExec_st* graph) const;
  };
  std::unique_ptr<CUgraphExec_st, Destroy> graph_;
#else
  template <class Launch>
  friend void queue(const Launch& launch);
  using Closure = std::function<void()>;
  inline static std::vector<Closure>* recorded_ = nullptr;  // launches of the graph that is being recorded
  std::vector<Closure> launches_;
#endif
};

/// Launches at once, or, while a CPU build records a graph, adds `launch` to it. Everything that a graph may hold must
/// be launched by this function.
template <class Launch>
void queue(const Launch& launch) {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(TESSEREC_EMULATED)
  if (DeviceGraph::recorded_ != nullptr) return DeviceGraph::recorded_->push_back(launch);
#endif
  launch();
}

/// Identity of a sequence of launches: all pointers and numbers that its launches depend on.
class LaunchKey {
 public:
  template <class... T>
  void add(const T&... values) {
    (words_.push_back(word(values)), ...);
  }
  bool operator==(const LaunchKey&) const = default;

 private:
  template <class T>
  static std::uint64_t word(const T& value) {
    if constexpr (std::is_pointer_v<T>)
      return reinterpret_cast<std::uintptr_t>(value);
    else
      return std::uint64_t(value);
  }
  std::vector<std::uint64_t> words_;
};

/// Launches by key, each repeated as one graph. The first run of a key, and the first after storage moved, launches one
/// by one; the next one records the graph.
class RepeatedLaunches {
 public:
  /// Runs `launches`, or launches its graph. Always runs `launches` while a tool watches the kernels of a CUDA build.
  /// Blocks only when it drops a graph that may still run.
  void operator()(const Device& device, const LaunchKey& key, const std::function<void()>& launches);

 private:
  struct Run {
    LaunchKey key;
    std::optional<std::uint64_t> moves = {};  // DeviceGraph::moves() at the last run one by one
    std::optional<DeviceGraph> graph = {};
  };
  static constexpr std::size_t max_runs = 8;  // batches in flight have two buffers each, and the last batch is shorter
  std::vector<Run> runs_;                     // oldest first
};

}  // namespace tesserec
