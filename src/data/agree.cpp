// SPDX-License-Identifier: Apache-2.0
#include "agree.hpp"

#include <tesserec/core/error.hpp>

namespace tesserec::data {

void throw_first(const comm::Communicator& comm, bool failed, const std::string& message) {
  const Index first = comm.min(failed ? comm.rank() : comm.size());
  if (first == comm.size()) return;
  fail(comm.broadcast(message, static_cast<int>(first)));
}

}  // namespace tesserec::data
