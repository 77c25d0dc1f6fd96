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
struct Beat {
  std::array<std::uint64_t, 2> job{};  ///< the same in all datagrams of a job, and in no others
  int rank = 0;
  double waits = 0;             ///< seconds in its present call of MPI
  double stuck = 0;             ///< seconds in the kernel, outside of such calls, without use of a processor
  std::array<char, 24> what{};  ///< it does, as it noted: "step"
  Index number = 0;             ///< 41
};

/// A UDP socket on a port of its own, which both sides of a job have.
class BeatSocket {
 public:
  /// Without a network it sends and receives nothing.
  BeatSocket();
  ~BeatSocket();
  BeatSocket(const BeatSocket&) = delete;
  BeatSocket& operator=(const BeatSocket&) = delete;

  int file() const { return file_; }
  /// Lists where other ranks may reach this socket: this host, and all of its IPv4 addresses, eight at most.
  std::array<sockaddr_in, 9> addresses() const;
  void send(const Beat& beat, const sockaddr_in& to) const;
  /// The next datagram that is there and is of `job`; `from` becomes its sender.
  std::optional<Beat> receive(const std::array<std::uint64_t, 2>& job, sockaddr_in& from) const;

 private:
  int file_ = -1;
};

}  // namespace tesserec::comm
