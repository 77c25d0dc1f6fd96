// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <tesserec/core/index.hpp>

namespace tesserec::tiers {

constexpr Index page_bytes = 4096;  // alignment of direct I/O in file and memory

/// Receiver of a queue's results. One thread of the queue at a time calls it, or several in Engine::threads.
class IoClient {
 public:
  virtual ~IoClient() = default;
  /// Takes the bytes of a read, valid during the call, or null after a write. `error`: errno, 0 = success.
  virtual void done(Index tag, const std::byte* data, int error) = 0;
};

/// Bytes of a file to read or write. Offset, size and memory are aligned to pages.
struct IoRequest {
  int file = -1;
  Index offset = 0, bytes = 0;
  const std::byte* from = nullptr;  ///< bytes to write; null = read
  std::byte* to = nullptr;          ///< memory of the bytes read; null = a buffer of the queue
  IoClient* client = nullptr;
  Index tag = 0;  ///< argument of IoClient::done
};

/// Asynchronous reads and writes of files. Threads of the queue start them and deliver the results in any order.
class IoQueue {
 public:
  /// uring: one thread with an io_uring. threads: several threads that each wait for one transfer.
  enum class Engine { uring, threads };

  /// Takes the largest number of transfers in flight and the largest read into a buffer of the queue [bytes]. Uses
  /// threads if the system refuses an io_uring.
  IoQueue(Engine engine, int depth, Index largest_read);
  /// Blocks until all requests have ended.
  ~IoQueue();
  IoQueue(const IoQueue&) = delete;

  Engine engine() const { return engine_; }
  /// Queues the requests. Does not block.
  void push(std::span<const IoRequest> requests);

 private:
  struct Transfer {
    IoRequest request;
    Index done = 0;               // bytes
    std::byte* buffer = nullptr;  // of the queue
    std::byte* to() const { return request.to == nullptr ? buffer : request.to; }
  };
  struct Ring;

  bool take(Transfer& transfer);
  bool wait();
  bool advance(Transfer& transfer, Index result);
  void serve_ring();
  void serve_thread(std::byte* buffer);

  Engine engine_;
  int depth_;
  std::unique_ptr<std::byte[], void (*)(void*)> buffers_;  // [depth, largest_read]
  Index largest_read_;
  std::unique_ptr<Ring> ring_;
  std::mutex mutex_;
  std::condition_variable pushed_;
  std::deque<IoRequest> waiting_;
  bool ends_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace tesserec::tiers
