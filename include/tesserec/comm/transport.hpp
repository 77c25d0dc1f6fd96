// SPDX-License-Identifier: Apache-2.0
/// How numbers get from the memory of one rank's device to that of another's.
#pragma once

#include <memory>
#include <span>
#include <string>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/device.hpp>

namespace tesserec::comm {

class Nccl;

/// Mover of numbers between devices. All ranks make the same calls. Messages to a rank arrive in the lists' order.
class Transport {
 public:
  virtual ~Transport() = default;
  /// For people: "MPI, by way of the host's memory".
  virtual std::string description() const = 0;
  /// Makes one of the same type, for the ranks of another communicator.
  virtual std::unique_ptr<Transport> of(const Communicator& ranks) const = 0;

  /// Queued on `device`: what lies there when it comes to this, is elsewhere when it goes on.
  virtual void exchange(const Device& device, std::span<const Sent> sent, std::span<const Received> received) = 0;
  /// Throws Error if a message that is under way, or was, has failed.
  virtual void check() const {}

  /// Communicator::all_to_all, bytes; none to itself.
  void all_to_all(const Device& device, const void* send, std::span<const Index> send_bytes, void* recv,
                  std::span<const Index> recv_bytes);
};

/// Makes the default transport: from device memory if MPI says that it can read it, else by way of pinned memory.
std::unique_ptr<Transport> mpi_transport(const Communicator& ranks);

/// Makes one by NCCL, whose calls are `calls`. Collective. Error where ranks have different versions of it.
std::unique_ptr<Transport> nccl_transport(const Communicator& ranks, std::unique_ptr<Nccl> calls);

}  // namespace tesserec::comm
