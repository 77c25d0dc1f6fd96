// SPDX-License-Identifier: Apache-2.0
/// Transport of numbers between the memories of the ranks' devices.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/device.hpp>

namespace tesserec::comm {

class Nccl;

/// Mover of numbers between devices. All ranks make the same calls. Messages to a rank arrive in the order of the
/// lists.
class Transport {
 public:
  virtual ~Transport() = default;
  /// Returns a text for people, such as "MPI, through host memory".
  virtual std::string description() const = 0;
  /// Makes a transport of the same type for the ranks of another communicator.
  virtual std::unique_ptr<Transport> of(const Communicator& ranks) const = 0;

  /// Sends and receives in the order of `device`: after the work queued there so far, before later work. May return
  /// earlier (NCCL), or block until all messages have arrived (MPI).
  virtual void exchange(const Device& device, std::span<const Sent> sent, std::span<const Received> received) = 0;
  /// Throws Error if a message in flight, or an earlier one, has failed.
  virtual void check() const {}

  /// Sends send_bytes[r] to each rank r and receives recv_bytes[r] from it by exchange(). Both buffers are in rank
  /// order, without bytes for this rank itself.
  void all_to_all(const Device& device, const void* send, std::span<const Index> send_bytes, void* recv,
                  std::span<const Index> recv_bytes);
};

/// Makes the default transport, by MPI: from device memory if MPI says that it can read it, else through pinned memory.
std::unique_ptr<Transport> mpi_transport(const Communicator& ranks);

/// Makes a transport by the `calls` of NCCL. Throws Error if the ranks have different versions of NCCL. Collective.
std::unique_ptr<Transport> nccl_transport(const Communicator& ranks, std::unique_ptr<Nccl> calls);

}  // namespace tesserec::comm
