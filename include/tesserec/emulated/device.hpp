// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace tesserec::emulated {

class Queue;
struct Ticket;
struct Command;

/// An execution-space instance: a queue of kernels and copies, run in order. Copies of the object name the same queue.
class Device {
 public:
  Device();
  /// A new instance; `name` appears in reports.
  static Device another(const std::string& name);

  /// Waits until all that was queued here has run.
  void fence() const;
  Queue& queue() const { return *queue_; }

 private:
  explicit Device(std::shared_ptr<Queue> queue) : queue_(std::move(queue)) {}
  std::shared_ptr<Queue> queue_;
};

/// An event: a point in the queue of one instance.
class Event {
 public:
  /// Marks the end of what is queued on `device` now.
  void record(const Device& device);
  /// Waits on the host until that point; at once where nothing was recorded.
  void wait() const;
  /// Lets what is queued on `device` from here on wait for that point.
  void hold(const Device& device) const;

 private:
  std::shared_ptr<Ticket> ticket_;
};

/// Queues a copy of `bytes`. Which of the two lies on the device is seen by the addresses. Reports copies that leave
/// their allocation, overlap, or whose source on the host changes before they run.
void copy(const Device& device, const void* from, void* to, std::size_t bytes);

/// Queues a call of `function` on the host, which sees no device memory and may not queue or wait: cudaLaunchHostFunc.
void call_host(const Device& device, const std::string& label, std::function<void()> function);

/// Commands that were recorded instead of queued, to be queued again and again.
class Graph {
 public:
  /// Records what `calls` queues on `device`. Waiting and recording events is reported while it does.
  Graph(const Device& device, const std::function<void()>& calls);
  ~Graph();
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  void launch(const Device& device) const;

 private:
  std::vector<Command> commands_;
};

}  // namespace tesserec::emulated
