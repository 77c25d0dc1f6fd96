// SPDX-License-Identifier: Apache-2.0
/// A failure on one rank becomes the same Error on all, so that none waits for a rank that has left.
#pragma once

#include <exception>
#include <string>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::data {

/// Throws the message of the lowest rank that failed, on every rank; does nothing when none failed.
/// Collective.
void throw_first(const comm::Communicator& comm, bool failed, const std::string& message);

/// Runs work() on every rank; if it throws on any, all throw. work() itself must not wait for other ranks.
template <class Work>
void together(const comm::Communicator& comm, const Work& work) {
  bool failed = false;
  std::string message;
  try {
    work();
  } catch (const std::exception& error) {
    failed = true;
    message = error.what();
  }
  throw_first(comm, failed, message);
}

}  // namespace tesserec::data
