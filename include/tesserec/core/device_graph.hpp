// SPDX-License-Identifier: Apache-2.0
/// Launches that come again batch after batch, launched as one: a CUDA graph. In a build for CPUs it is a list of them,
/// which holds what a graph would: kernels, and what they took by value when they were recorded.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <type_traits>
#include <vector>

#include <tesserec/core/kokkos.hpp>

namespace tesserec {

class DeviceGraph {
 public:
  /// Records what `launches` launches on `device`; none of it runs. Throws Error where CUDA refuses.
  DeviceGraph(const Device& device, const std::function<void()>& launches);
  void launch(const Device& device) const;

  /// Storage that kernels may have been given is no more where it was.
  static void storage_moved() { ++moves_; }
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
  inline static std::vector<Closure>* recorded_ = nullptr;  // of the graph that is being made
  std::vector<Closure> launches_;
#endif
};

/// Launches, or leaves it to the graph that is being made: whatever one may hold is launched so.
template <class Launch>
void queue(const Launch& launch) {
#if !defined(KOKKOS_ENABLE_CUDA) && !defined(TESSEREC_EMULATED)
  if (DeviceGraph::recorded_ != nullptr) return DeviceGraph::recorded_->push_back(launch);
#endif
  launch();
}

/// All that decides what a run of launches is: pointers and numbers.
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

/// Repeats the launches of a key as one graph, which lives until storage moves. The first time they run one by one.
class RepeatedLaunches {
 public:
  void operator()(const Device& device, const LaunchKey& key, const std::function<void()>& launches);

 private:
  struct Run {
    LaunchKey key;
    std::optional<std::uint64_t> moves = {};  // when it ran last one by one
    std::optional<DeviceGraph> graph = {};
  };
  static constexpr std::size_t most_runs = 8;  // batches in flight lie in two places each, and the last one is shorter
  std::vector<Run> runs_;                      // the oldest first
};

}  // namespace tesserec
