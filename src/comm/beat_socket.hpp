// SPDX-License-Identifier: Apache-2.0
/// Datagrams between the watching threads of ranks (rank_watch.hpp).
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include <netinet/in.h>

#include <tesserec/core/index.hpp>

namespace tesserec::comm {

/// Message of a rank about itself.
struct Heartbeat {
  std::array<std::uint64_t, 2> job{};  ///< random number of the job
  int rank = 0;
  double waits = 0;             ///< seconds in the current call of MPI
  double stuck = 0;             ///< seconds blocked in the kernel, outside such calls, without use of a processor
  std::array<char, 24> work{};  ///< current work as given to note(): "step"
  Index number = 0;             ///< number of the current work: 41
};

/// A UDP socket on a port of its own. Every rank has one.
class BeatSocket {
 public:
  /// Opens the socket. Without a network, it sends and receives nothing.
  BeatSocket();
  ~BeatSocket();
  BeatSocket(const BeatSocket&) = delete;
  BeatSocket& operator=(const BeatSocket&) = delete;

  int file() const { return file_; }
  /// Returns the addresses at which other ranks may reach this socket: loopback, and at most eight IPv4 addresses of
  /// the host. Unused entries have port 0.
  std::array<sockaddr_in, 9> addresses() const;
  void send(const Heartbeat& beat, const sockaddr_in& to) const;
  /// Returns the next datagram of `job` and sets `from` to its sender; returns nullopt if none has arrived.
  std::optional<Heartbeat> receive(const std::array<std::uint64_t, 2>& job, sockaddr_in& from) const;

 private:
  int file_ = -1;
};

}  // namespace tesserec::comm
