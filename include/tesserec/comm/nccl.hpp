// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <tesserec/comm/communicator.hpp>
#include <tesserec/core/device.hpp>

namespace tesserec::comm {

/// Calls of NCCL for one communicator, on a stream of their own. A failure throws Error with NCCL's text. Tests may
/// provide an implementation.
class Nccl {
 public:
  using Id = std::vector<char>;
  virtual ~Nccl() = default;
  /// Makes an object of the same type that has not joined a communicator.
  virtual std::unique_ptr<Nccl> another() const = 0;

  /// Returns the version of the library, such as "2.28.9".
  virtual std::string version() const = 0;
  virtual Id unique_id() const = 0;  ///< calls ncclGetUniqueId
  /// Joins the communicator of `id` (ncclCommInitRank), which one of the ranks made by unique_id(). Collective.
  virtual void init(const Id& id, const Communicator& ranks) = 0;

  /// Makes the transfers that follow wait for the work queued on `device` so far. Does not block.
  virtual void after(const Device& device) = 0;
  /// Makes later work on `device` wait for the transfers queued so far. Does not block.
  virtual void before(const Device& device) = 0;
  virtual void group_start() = 0;
  virtual void send(const void* from, Index bytes, int peer) = 0;
  virtual void receive(void* to, Index bytes, int peer) = 0;
  virtual void group_end() = 0;

  /// Returns the text of an asynchronous failure; empty if there is none (ncclCommGetAsyncError). Any thread may call
  /// it.
  virtual std::string async_error() const = 0;
  /// Gives up the transfers in flight, so that a device that waits for them continues (ncclCommAbort). Any thread may
  /// call it.
  virtual void abort() = 0;
  /// Waits for all transfers, then destroys the communicator (ncclCommDestroy). Collective.
  virtual void destroy() = 0;
};

/// Makes the calls of NCCL's library. Defined only in builds with NCCL.
std::unique_ptr<Nccl> nccl_library();
/// Makes the calls by the function of provide_nccl(), by default nccl_library(). Returns null in builds without NCCL.
std::unique_ptr<Nccl> make_nccl();
/// Sets the function that make_nccl() calls from now on; null stands for a build without NCCL.
void provide_nccl(std::unique_ptr<Nccl> (*make)());

}  // namespace tesserec::comm
