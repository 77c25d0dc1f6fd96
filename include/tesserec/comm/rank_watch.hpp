// SPDX-License-Identifier: Apache-2.0
/// Ends a job of which a rank has stopped, instead of waiting for it for ever.
#pragma once

#include <memory>

#include <tesserec/comm/communicator.hpp>

namespace tesserec::comm {

/// Seconds for which a rank may neither answer nor do anything that others wait for; 0 = for ever. 600 until it is set.
void set_patience(double seconds);

/// Notes what this rank does, for the message about it should it stop: "step", 41. `what` is a literal.
void note(const char* what, Index number);

/// A thread on every rank. The first rank's hears of all others several times within the patience, by UDP, and they of
/// it, whatever they compute. If one is silent (SIGSTOP, a dead node), or has used no processor while others wait for
/// it (a dead file system), a message names it and all ranks exit with 2. Time of the rank's own stops is not counted.
class RankWatch {
 public:
  /// Collective; `all` must outlive it. Warns of ranks that it cannot hear.
  explicit RankWatch(const Communicator& all);
  ~RankWatch();
  RankWatch(const RankWatch&) = delete;
  RankWatch& operator=(const RankWatch&) = delete;

 private:
  class Thread;
  std::unique_ptr<Thread> thread_;  // none where a rank is alone
};

}  // namespace tesserec::comm
