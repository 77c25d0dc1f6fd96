// SPDX-License-Identifier: Apache-2.0
#include "io_queue.hpp"

#include <cerrno>
#include <cstdlib>
#include <new>

#include <liburing.h>
#include <sys/eventfd.h>
#include <unistd.h>

namespace tesserec::tiers {

/// An io_uring, and an eventfd by which push() and the destructor end the ring's wait.
struct IoQueue::Ring {
  io_uring ring;
  int event = -1;
  std::uint64_t events = 0;  // result of a read of `event`

  /// Returns whether the system has an io_uring with all that the queue uses (Linux 5.6).
  bool open(int depth) {
    if (io_uring_queue_init(depth, &ring, 0) < 0) return false;
    io_uring_probe* const probe = io_uring_get_probe_ring(&ring);
    const bool reads = probe != nullptr && io_uring_opcode_supported(probe, IORING_OP_READ) != 0;
    if (probe != nullptr) io_uring_free_probe(probe);
    if (reads) event = ::eventfd(0, EFD_CLOEXEC);
    if (event < 0) io_uring_queue_exit(&ring);
    return event >= 0;
  }
  ~Ring() {
    if (event < 0) return;
    io_uring_queue_exit(&ring);
    ::close(event);
  }
};

IoQueue::IoQueue(Engine engine, int depth, Index largest_read)
    : engine_(engine),
      depth_(depth),
      buffers_(static_cast<std::byte*>(std::aligned_alloc(page_bytes, depth * largest_read)), std::free),
      largest_read_(largest_read) {
  if (buffers_ == nullptr) throw std::bad_alloc();
  if (engine_ == Engine::uring) {
    ring_ = std::make_unique<Ring>();
    if (!ring_->open(depth_ + 1)) {  // one entry is for the eventfd
      ring_.reset();
      engine_ = Engine::threads;
    }
  }
  if (engine_ == Engine::uring)
    threads_.emplace_back([this] { serve_ring(); });
  else
    for (int i = 0; i < depth_; ++i)
      threads_.emplace_back([this, i] { serve_thread(buffers_.get() + i * largest_read_); });
}

IoQueue::~IoQueue() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  pushed_.notify_all();
  if (ring_) ::eventfd_write(ring_->event, 1);
  for (std::thread& thread : threads_) thread.join();
}

void IoQueue::push(std::span<const IoRequest> requests) {
  if (requests.empty()) return;
  {
    const std::lock_guard lock(mutex_);
    waiting_.insert(waiting_.end(), requests.begin(), requests.end());
  }
  if (ring_)
    ::eventfd_write(ring_->event, 1);
  else
    pushed_.notify_all();
}

/// Blocks until there is a request. Returns false once the queue ends and has none.
bool IoQueue::wait() {
  std::unique_lock lock(mutex_);
  pushed_.wait(lock, [&] { return ends_ || !waiting_.empty(); });
  return !waiting_.empty();
}

/// Takes the next request. Returns false if there is none.
bool IoQueue::take(Transfer& transfer) {
  const std::lock_guard lock(mutex_);
  if (waiting_.empty()) return false;
  transfer.request = waiting_.front();
  transfer.done = 0;
  waiting_.pop_front();
  return true;
}

/// Takes the result of a system call: bytes, or a negative errno. Returns true after the last call of a transfer, whose
/// result it delivers.
bool IoQueue::advance(Transfer& transfer, Index result) {
  const IoRequest& request = transfer.request;
  if (result == -EINTR || result == -EAGAIN) return false;
  if (result > 0) {
    transfer.done += result;
    if (transfer.done < request.bytes) return false;
  }
  int error = 0;
  if (result <= 0) error = result < 0 ? int(-result) : EIO;  // 0 = end of file
  request.client->done(request.tag, error == 0 && request.from == nullptr ? transfer.to() : nullptr, error);
  return true;
}

void IoQueue::serve_thread(std::byte* buffer) {
  Transfer transfer;
  transfer.buffer = buffer;
  while (wait()) {
    if (!take(transfer)) continue;  // another thread was faster
    const IoRequest& request = transfer.request;
    Index result = 0;
    do {
      const Index left = request.bytes - transfer.done, at = request.offset + transfer.done;
      result = request.from == nullptr ? ::pread(request.file, transfer.to() + transfer.done, left, at)
                                       : ::pwrite(request.file, request.from + transfer.done, left, at);
      if (result < 0) result = -errno;
    } while (!advance(transfer, result));
  }
}

void IoQueue::serve_ring() {
  io_uring* const ring = &ring_->ring;
  std::vector<Transfer> transfers(depth_);
  std::vector<int> idle;
  for (int i = 0; i < depth_; ++i) {
    transfers[i].buffer = buffers_.get() + i * largest_read_;
    idle.push_back(i);
  }
  const auto submit = [&](int i) {
    const Transfer& transfer = transfers[i];
    const IoRequest& request = transfer.request;
    io_uring_sqe* const entry = io_uring_get_sqe(ring);  // not null: the ring has an entry for each transfer
    const auto left = unsigned(request.bytes - transfer.done);
    const Index at = request.offset + transfer.done;
    if (request.from == nullptr)
      io_uring_prep_read(entry, request.file, transfer.to() + transfer.done, left, at);
    else
      io_uring_prep_write(entry, request.file, request.from + transfer.done, left, at);
    io_uring_sqe_set_data64(entry, std::uint64_t(i));
  };
  const auto await_event = [&] {
    io_uring_sqe* const entry = io_uring_get_sqe(ring);
    io_uring_prep_read(entry, ring_->event, &ring_->events, sizeof ring_->events, 0);
    io_uring_sqe_set_data64(entry, std::uint64_t(depth_));
  };
  const auto ends = [&] {
    const std::lock_guard lock(mutex_);
    return ends_ && waiting_.empty();
  };
  await_event();
  while (std::ssize(idle) < depth_ || !ends()) {
    while (!idle.empty() && take(transfers[idle.back()])) {
      submit(idle.back());
      idle.pop_back();
    }
    io_uring_submit_and_wait(ring, 1);
    io_uring_cqe* result = nullptr;
    while (io_uring_peek_cqe(ring, &result) == 0) {
      const int i = int(io_uring_cqe_get_data64(result));
      const Index bytes = result->res;
      io_uring_cqe_seen(ring, result);
      if (i == depth_)
        await_event();
      else if (advance(transfers[i], bytes))
        idle.push_back(i);
      else
        submit(i);
    }
  }
}

}  // namespace tesserec::tiers
