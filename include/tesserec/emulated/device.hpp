// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tesserec::emulated {

class Queue;
struct EventPoint;
struct Command;

/// An execution-space instance: a queue of kernels and copies, run in order. Copies of the object share the queue.
class Device {
 public:
  Device();
  /// Makes a new instance; `name` appears in reports.
  static Device another(const std::string& name);

  /// Waits until all work that was queued here has run.
  void fence() const;
  Queue& queue() const { return *queue_; }

 private:
  explicit Device(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
  std::shared_ptr<Queue> queue_;
};

/// An event: a point in the queue of one instance.
class Event {
 public:
  /// Marks the end of the work that is queued on `device` so far.
  void record(const Device& device);
  /// Waits on the host until the recorded point is reached. Returns at once if nothing was recorded.
  void wait() const;
  /// Makes later work on `device` wait for the recorded point. Does not block.
  void hold(const Device& device) const;

 private:
  std::shared_ptr<EventPoint> ticket_;
};

/// Queues a copy of `bytes`. Addresses tell which of the two pointers is the device's. Reports copies that leave their
/// allocation, overlap, or whose source on the host changes before they run.
void copy(const Device& device, const void* from, void* to, std::size_t bytes);

/// Queues a call of `function` on the host, as cudaLaunchHostFunc. The function must not access device memory, queue or
/// wait.
void call_host(const Device& device, const std::string& label, std::function<void()> function);

/// Commands that were recorded instead of queued, to be queued any number of times.
class Graph {
 public:
  /// Records the commands that `calls` queues on `device`. Reports waits and events that are recorded meanwhile.
  Graph(const Device& device, const std::function<void()>& calls);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  /// Queues all recorded commands on `device`.
  void launch(const Device& device) const;

 private:
  std::vector<Command> commands_;
};

}  // namespace tesserec::emulated
