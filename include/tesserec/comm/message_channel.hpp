// SPDX-License-Identifier: Apache-2.0
/// Messages of bytes and integers between ranks. Every count is 64-bit and every return code is checked.
#pragma once

#include <cstddef>
#include <span>
#include <utility>
#include <vector>

#include <mpi.h>

#include <tesserec/core/index.hpp>

namespace tesserec::comm {

/// Throws Error with the name of the call and MPI's text if `code` is not MPI_SUCCESS.
void check(int code, const char* call);

/// Mark that this thread's rank is alone, since other ranks may have given up (agree.hpp). While an object lives, a
/// collective call of several ranks throws std::logic_error instead of waiting for such ranks.
class Alone {
 public:
  Alone() { ++depth_; }
  ~Alone() { --depth_; }
  Alone(const Alone&) = delete;
  Alone& operator=(const Alone&) = delete;

  /// Returns whether an object lives on this thread.
  static bool now() { return depth_ > 0; }

 private:
  static thread_local int depth_;
};

/// Messages in flight. Their buffers must stay until wait().
class Pending {
 public:
  Pending() = default;
  Pending(Pending&& other) noexcept : requests_(std::exchange(other.requests_, {})) {}
  Pending& operator=(Pending&& other) noexcept {
    std::swap(requests_, other.requests_);
    return *this;
  }
  /// Cancels the messages that have not arrived, for a rank that ends with an error.
  ~Pending();

  /// Waits until all messages have been sent and received.
  void wait();

 private:
  friend class MessageChannel;
  std::vector<MPI_Request> requests_;
};

/// Bytes to send to another rank.
struct Sent {
  int to;
  const void* at;
  Index bytes;
};
/// Bytes to receive from another rank.
struct Received {
  int from;
  void* at;
  Index bytes;
};

/// A duplicate of an MPI_Comm for messages of bytes and integers. All functions that send are collective.
class MessageChannel {
 public:
  /// Largest single message [bytes], a multiple of 8 that an int can hold. Larger messages are sent in pieces.
  static constexpr Index default_piece = Index{1} << 30;

  /// Duplicates `parent`. MPI_COMM_NULL stands for this process alone, without MPI.
  explicit MessageChannel(MPI_Comm parent, Index piece = default_piece);
  /// Takes the ranks of `parent` that give the same `color`, in their order.
  MessageChannel(const MessageChannel& parent, int color);
  ~MessageChannel();
  MessageChannel(const MessageChannel&) = delete;
  MessageChannel& operator=(const MessageChannel&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  MPI_Comm mpi() const { return comm_; }

  void barrier() const;
  /// Waits for all ranks at most `seconds`; returns whether all have called it.
  bool barrier_within(double seconds) const;
  /// Reduces all ranks' values by `operation`, element by element and in place.
  void reduce(std::span<Index> values, MPI_Op operation) const;
  void broadcast(std::byte* data, Index bytes, int root) const;
  /// Gathers `bytes[r]` from each rank r into `all`, in rank order.
  void all_gather(const std::byte* own, std::span<const Index> bytes, std::byte* all) const;
  /// Sends one number to each rank and returns one from each.
  std::vector<Index> all_to_all(std::span<const Index> numbers) const;
  /// Starts messages and does not block. Messages to a rank arrive in the order of the lists.
  Pending start_exchange(std::span<const Sent> sent, std::span<const Received> received) const;
  Index piece() const { return piece_; }
  void set_piece(Index bytes) { piece_ = bytes; }

 private:
  void query_rank();
  /// Returns whether there are other ranks to call MPI with. Every collective call begins with it.
  bool has_peers(const char* call) const;

  MPI_Comm comm_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  Index piece_;
};

}  // namespace tesserec::comm
