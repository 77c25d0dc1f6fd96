// SPDX-License-Identifier: Apache-2.0
// The commands that are queued on instances of the device, and the order in which they run.
#pragma once

#include <algorithm>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sanitizers.hpp"
#include "worker.hpp"
#include <tesserec/emulated/device.hpp>

namespace tesserec::emulated {

/// An address from malloc by which ThreadSanitizer orders threads; null in other builds.
using Token = std::shared_ptr<char>;
inline Token token() { return sees_threads ? Token(new char) : Token(); }

/// A point of a queue.
struct EventPoint {
  Queue* queue;  // the queue that reaches the point
  bool reached = false;
  Token token = emulated::token();
};

/// A range of memory that a queued copy reads or writes.
struct Span {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool overlaps(std::uintptr_t at, std::size_t size) const { return begin < at + size && at < begin + bytes; }
};

struct Command {
  std::string label;
  std::function<void(Queue&)> run;
  std::shared_ptr<EventPoint> holds = {};  // point that must be reached before the command runs
  Span from = {}, to = {};                 // source and target of a copy
  bool on_host = false;                    // a host call, which may not access device memory
  Token queued = {};                       // token that is released when the command is queued
};

class Queue {
 public:
  explicit Queue(std::string name);
  ~Queue();
  const std::string& name() const { return name_; }

  /// Records the command, or queues it and runs commands as Settings::order says.
  void push(Command command);
  /// Runs all commands of this queue, and commands of other queues that must precede them.
  void finish();
  void finish_until(const EventPoint& ticket);
  /// Tells ThreadSanitizer that the commands run so far happened before what the caller does next.
  void seen_by_host();

  bool recording() const { return record_ != nullptr; }
  void record_to(std::vector<Command>* commands) { record_ = commands; }
  const std::deque<Command>& commands() const { return commands_; }
  /// Returns whether a host call is queued, which may write to host memory.
  bool calls_host() const { return std::ranges::any_of(commands_, &Command::on_host); }

  /// Returns the workers on which threads of kernels run.
  Workers& workers() { return workers_; }

  static std::vector<Queue*>& all();

 private:
  bool can_run() const { return !commands_.empty() && (!commands_.front().holds || commands_.front().holds->reached); }
  void run_first();
  /// Runs the first command of a queue that is drawn from those that can run. Returns false if there is none.
  static bool run_one();
  static void run_some();
  static void run_any(const std::function<bool()>& until);

  std::string name_;
  std::deque<Command> commands_;
  std::vector<Command>* record_ = nullptr;
  Workers workers_;
  SanitizerFiber engine_ = SanitizerFiber::made();
  Token done_ = token();
};

}  // namespace tesserec::emulated
