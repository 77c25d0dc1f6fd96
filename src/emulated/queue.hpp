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

/// An address of malloc's, for ThreadSanitizer's order.
using Token = std::shared_ptr<char>;
inline Token token() { return sees_threads ? Token(new char) : Token(); }

/// A point of a queue that has been reached or not.
struct Ticket {
  Queue* queue;  // that must come there
  bool reached = false;
  Token token = emulated::token();
};

/// Host memory that a queued copy reads or writes, and device memory.
struct Span {
  std::uintptr_t begin = 0;
  std::size_t bytes = 0;
  bool meets(std::uintptr_t at, std::size_t size) const { return begin < at + size && at < begin + bytes; }
};

struct Command {
  std::string label;
  std::function<void(Queue&)> run;
  std::shared_ptr<Ticket> holds = {};  // runs when it is reached
  Span from = {}, to = {};             // of a copy
  bool on_host = false;                // it may not touch device memory
  Token queued = {};                   // released by who queued it
};

class Queue {
 public:
  explicit Queue(std::string name);
  ~Queue();
  const std::string& name() const { return name_; }

  /// Queues it, or records it; then runs what the order of the process wants run.
  void push(Command command);
  /// Runs, here and where it must elsewhere, until nothing is queued here.
  void finish();
  void finish_until(const Ticket& ticket);
  /// The end of what has run is what the caller sees from here on.
  void seen_by_host();

  bool recording() const { return record_ != nullptr; }
  void record_to(std::vector<Command>* commands) { record_ = commands; }
  const std::deque<Command>& commands() const { return commands_; }
  /// True while a call of the host is queued, which may write to the host's memory.
  bool calls_host() const { return std::ranges::any_of(commands_, &Command::on_host); }

  /// The workers of kernels' threads.
  Workers& workers() { return workers_; }

  static std::vector<Queue*>& all();

 private:
  bool can_run() const { return !commands_.empty() && (!commands_.front().holds || commands_.front().holds->reached); }
  void run_first();
  /// Runs the first command of a queue that is drawn among all; returns false if none can run.
  static bool run_one();
  static void run_some();
  static void run_any(const std::function<bool()>& until);

  std::string name_;
  std::deque<Command> commands_;
  std::vector<Command>* record_ = nullptr;
  Workers workers_;
  SeenThread engine_ = SeenThread::made();
  Token done_ = token();
};

}  // namespace tesserec::emulated
