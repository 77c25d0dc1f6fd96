// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

namespace tesserec {

/// Prefetcher that makes items in order on its own thread, at most `capacity` ahead of the caller.
template <class Item>
class ReadAhead {
 public:
  /// Starts the thread, which calls `make` for the next item until it returns nothing.
  ReadAhead(std::size_t capacity, std::function<std::optional<Item>()> make)
      : capacity_(capacity), make_(std::move(make)), thread_([this] { run(); }) {}
  ~ReadAhead() {
    {
      const std::lock_guard lock(mutex_);
      stop_ = true;
    }
    changed_.notify_all();
    thread_.join();
  }
  ReadAhead(const ReadAhead&) = delete;
  ReadAhead& operator=(const ReadAhead&) = delete;

  /// Waits for the next item; returns nothing at the end. Rethrows an exception of `make` after the earlier items.
  std::optional<Item> next() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return !items_.empty() || done_; });
    if (!items_.empty()) {
      std::optional<Item> item(std::move(items_.front()));
      items_.pop_front();
      changed_.notify_all();
      return item;
    }
    if (error_) std::rethrow_exception(error_);
    return std::nullopt;
  }

 private:
  void run() {
    try {
      while (true) {
        {
          std::unique_lock lock(mutex_);
          changed_.wait(lock, [this] { return items_.size() < capacity_ || stop_; });
          if (stop_) break;
        }
        std::optional<Item> item = make_();
        if (!item) break;
        const std::lock_guard lock(mutex_);
        items_.push_back(std::move(*item));
        changed_.notify_all();
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      error_ = std::current_exception();
    }
    const std::lock_guard lock(mutex_);
    done_ = true;
    changed_.notify_all();
  }

  const std::size_t capacity_;
  const std::function<std::optional<Item>()> make_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Item> items_;
  std::exception_ptr error_;
  bool stop_ = false;
  bool done_ = false;
  std::thread thread_;  // last, since it uses the members above
};

}  // namespace tesserec
