// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/device.hpp>

namespace tesserec::comm {

/// Calls of NCCL for one communicator, on its own stream; failures throw Error with NCCL's text. Tests may provide one.
class Nccl {
 public:
  using Id = std::vector<char>;
  virtual ~Nccl() = default;
  virtual std::unique_ptr<Nccl> another() const = 0;

  /// "2.28.9"
  virtual std::string version() const = 0;
  virtual Id unique_id() const = 0;  ///< ncclGetUniqueId
  /// ncclCommInitRank: collective, with the id that one of the ranks made.
  virtual void init(const Id& id, const Communicator& ranks) = 0;

  /// Lets what moves from here on begin when `device` has come here.
  virtual void after(const Device& device) = 0;
  /// `device` goes on from here when all that was to move has moved.
  virtual void before(const Device& device) = 0;
  virtual void group_start() = 0;
  virtual void send(const void* from, Index bytes, int peer) = 0;
  virtual void receive(void* to, Index bytes, int peer) = 0;
  virtual void group_end() = 0;

  /// Says what has failed since, from any thread; empty = nothing. ncclCommGetAsyncError
  virtual std::string async_error() const = 0;
  /// Gives up all that is under way, from any thread: a device that waits for it goes on. ncclCommAbort
  virtual void abort() = 0;
  /// Everything has moved. Collective. ncclCommDestroy
  virtual void destroy() = 0;
};

/// The calls of NCCL's library, in builds that have it.
std::unique_ptr<Nccl> nccl_library();
/// The build's; none = it has no NCCL.
std::unique_ptr<Nccl> make_nccl();
/// Sets what make_nccl makes from now on.
void provide_nccl(std::unique_ptr<Nccl> (*make)());

}  // namespace tesserec::comm
