// SPDX-License-Identifier: Apache-2.0
/// Watch over the ranks of a job. It ends a job with a stopped rank, for which the others would wait forever.
#pragma once

#include <memory>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Sets the seconds for which a rank may neither answer nor work while others wait for it. 0 = forever; the default is
/// 600.
void set_patience(double seconds);

/// Notes this rank's current work, such as ("step", 41), for the message in case it stops. `work` is a string literal.
void note(const char* work, Index number);

/// A watching thread on every rank. The first rank and each other rank exchange UDP datagrams several times within the
/// patience, whatever they compute. If a rank is silent (SIGSTOP, a dead node), or has used no processor while others
/// wait for it (a dead file system), a message names it and all ranks exit with 2. Time in which the watching rank is
/// stopped itself does not count.
class RankWatch {
 public:
  /// Starts the thread and waits at most 5 seconds for the first datagrams. Logs a warning that names the ranks without
  /// one. `comm` must outlive this object. Collective.
  explicit RankWatch(const Communicator& comm);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;  // null if the rank is alone
};

}  // namespace tesserec::comm
