// SPDX-License-Identifier: Apache-2.0
// The threads of one block, from their start to their end.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "worker.hpp"
#include <tesserec/emulated/launch.hpp>

namespace tesserec::emulated {

/// A block whose threads run one at a time, in a drawn order. A thread that waits for others yields.
class Block {
 public:
  /// Takes the block's number, and two tokens for ThreadSanitizer: each thread acquires `begun` when it starts and
  /// releases `ended` when it ends.
  Block(const Kernel& kernel, std::int64_t number, Workers& workers, void* begun, void* ended);
  ~Block();
  void run();

  /// Returns the running block, or null outside of kernels.
  static Block* running();

  int thread() const { return current_; }
  void sync_block(Site site);
  std::uint64_t sync_warp(unsigned mask, Site site, std::uint64_t number, int other);
  /// Returns "kernel LABEL, block 3, thread 7".
  std::string place() const;

 private:
  enum class State { unstarted, ready, waits_for_block, waits_for_warp, ended };
  struct Thread {
    State state = State::unstarted;
    Worker* worker = nullptr;
    std::function<void()> job = {};
    unsigned mask = 0;  // lanes that the thread waits for
    Site site = {};
    std::uint64_t number = 0;  // value to shuffle, then the value of the other lane
    int other = 0;
  };
  void run_thread(int thread);
  void check_barrier();
  void check_warp(int thread);
  void wait(State state);
  [[noreturn]] void report_stuck() const;
  std::string waits_text(int thread) const;
  char* token(int warp, unsigned mask);

  const Kernel& kernel_;
  const std::int64_t number_;
  Workers& workers_;
  void *const begun_, *const ended_;
  std::vector<Thread> threads_;
  std::vector<int> can_run_;
  int current_ = -1, at_barrier_ = 0, ended_threads_ = 0;
  std::unique_ptr<std::byte[]> scratch_;
  std::unique_ptr<char[]> tokens_;  // for ThreadSanitizer: the block's, then one per group of lanes
};

}  // namespace tesserec::emulated
